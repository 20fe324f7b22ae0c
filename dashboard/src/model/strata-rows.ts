/** What a row shows: a message, or one block of it. */
export interface RowPlace {
  readonly message: number;
  /** Undefined where the row is the message itself. */
  readonly block: number | undefined;
}

/** Which row shows what: a row for each message, and below those that are expanded one for each of their blocks. */
export interface RowMap {
  total(messages: number): number;
  placeOf(row: number): RowPlace;
  /** The row of a message itself. */
  rowOf(message: number): number;
}

/** `expanded` has the number of blocks of each message whose blocks show. */
export function mapRows(expanded: ReadonlyMap<number, number>): RowMap {
  const messages = [...expanded.keys()].toSorted((one, other) => one - other);
  /** The rows of the expanded messages, and how many rows of blocks there are up to and with each. */
  const rows: number[] = [];
  const ends: number[] = [];
  for (const message of messages) {
    const before = ends.at(-1) ?? 0;
    rows.push(message + before);
    ends.push(before + (expanded.get(message) ?? 0));
  }
  return {
    total: (count) => count + (ends[countUpTo(messages, count - 1) - 1] ?? 0),
    placeOf: (row) => {
      const nearest = countUpTo(rows, row) - 1;
      const [message, start] = [messages[nearest], rows[nearest]];
      if (message === undefined || start === undefined) return { message: row, block: undefined };
      const below = row - start;
      const blocks = expanded.get(message) ?? 0;
      if (below === 0) return { message, block: undefined };
      return below <= blocks ? { message, block: below - 1 } : { message: message + below - blocks, block: undefined };
    },
    rowOf: (message) => message + (ends[countUpTo(messages, message - 1) - 1] ?? 0),
  };
}

/** How many of some rising numbers are at most this one. */
function countUpTo(numbers: readonly number[], most: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? 0) <= most) low = middle + 1;
    else high = middle;
  }
  return low;
}
