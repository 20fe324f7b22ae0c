/** Where a command writes; `process.stdout` is one. */
export interface Output {
  readonly isTTY?: boolean;
  /** Of the terminal. */
  readonly columns?: number;
  write(text: string): unknown;
}

// Wider lines are hard to read; where there is no terminal, nobody knows how wide the reader's is.
const MAX_COLUMNS = 100;
const MIN_COLUMNS = 40;

/** How many columns a line may take. */
export function columnsOf({ isTTY, columns }: Output): number {
  if (isTTY !== true || columns === undefined || columns <= 0) return MAX_COLUMNS;
  return Math.max(MIN_COLUMNS, Math.min(MAX_COLUMNS, columns));
}
