const UNSERIALIZABLE = "[unserializable]";

/**
 * The JSON of a value, or a placeholder where it has none: cycles, BigInts, a `toJSON` that throws, undefined. Values that `isWanted`
 * rejects are left out of objects, and are null in arrays.
 */
export function serialize(value: unknown, isWanted?: (value: unknown) => boolean): string {
  try {
    const replacer = isWanted && ((_: string, each: unknown) => (isWanted(each) ? each : undefined));
    return JSON.stringify(value, replacer) ?? UNSERIALIZABLE;
  } catch (error) {
    // JSON.stringify recurses: a value that is nested too deep for the stack is still content, and counts.
    return error instanceof RangeError ? (serializeDeep(value, isWanted) ?? UNSERIALIZABLE) : UNSERIALIZABLE;
  }
}

/** An array or object that is being written. */
interface Level {
  readonly value: object;
  readonly entries: Iterator<readonly [key: string | undefined, value: unknown]>;
  readonly end: string;
  isEmpty: boolean;
}

/** JSON without recursion, for values as they come from JSON; undefined for others. */
function serializeDeep(root: unknown, isWanted: (value: unknown) => boolean = () => true): string | undefined {
  const pieces: string[] = [];
  const levels: Level[] = [];
  const open = new Set<object>();
  const write = (value: unknown): boolean => {
    if (typeof value !== "object" || value === null) {
      const text = writeScalar(value);
      if (text !== undefined) pieces.push(text);
      return text !== undefined;
    }
    if (open.has(value) || "toJSON" in value) return false;
    open.add(value);
    const level = levelOf(value);
    pieces.push(level.end === "]" ? "[" : "{");
    levels.push(level);
    return true;
  };
  if (!write(root)) return undefined;
  for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
    const { value: entry, done } = level.entries.next();
    if (done === true) {
      pieces.push(level.end);
      open.delete(level.value);
      levels.pop();
      continue;
    }
    const [key, item] = entry;
    const isLeftOut = !isWanted(item);
    if (isLeftOut && key !== undefined) continue;
    const value = isLeftOut ? null : item;
    if (!level.isEmpty) pieces.push(",");
    level.isEmpty = false;
    if (key !== undefined) pieces.push(`${JSON.stringify(key)}:`);
    if (!write(value)) return undefined;
  }
  return joined(pieces);
}

function levelOf(value: object): Level {
  return Array.isArray(value)
    ? { value, entries: value.map((item: unknown) => [undefined, item] as const).values(), end: "]", isEmpty: true }
    : { value, entries: Object.entries(value).values(), end: "}", isEmpty: true };
}

function writeScalar(value: unknown): string | undefined {
  return typeof value === "bigint" ? undefined : JSON.stringify(value);
}

/** Undefined where the text is longer than a string can be. */
function joined(pieces: readonly string[]): string | undefined {
  try {
    return pieces.join("");
  } catch {
    return undefined;
  }
}
