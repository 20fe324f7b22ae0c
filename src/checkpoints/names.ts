export interface DecodedNames {
  readonly names: readonly string[];
  /** Names that are no UTF-8, as well as they can be shown. */
  readonly undecodable: readonly string[];
}

/** The names in output of git that ends each with NUL. */
export function decodeNames(output: Buffer): DecodedNames {
  const names = output.toString().split("\0").slice(0, -1);
  if (!names.some(isDoubtful)) return { names, undecodable: [] };
  const undecodable = new Set<string>();
  for (let start = 0, index = 0; start < output.length; index += 1) {
    const end = output.indexOf(0, start);
    const name = names[index] ?? "";
    if (isDoubtful(name) && !Buffer.from(name).equals(output.subarray(start, end))) undecodable.add(name);
    start = end + 1;
  }
  return { names: names.filter((name) => !undecodable.has(name)), undecodable: [...undecodable] };
}

/** Names as git reads them from its standard input with `-z`. */
export function encodeNames(names: Iterable<string>): string {
  let encoded = "";
  for (const name of names) encoded += `${name}\0`;
  return encoded;
}

// What stands for bytes that are no UTF-8; it can also be a character of the name.
function isDoubtful(name: string): boolean {
  return name.includes("\uFFFD");
}
