export interface DecodedNames {
  readonly names: readonly string[];
  /** Names that are not valid UTF-8, with U+FFFD in place of the invalid bytes. */
  readonly undecodable: readonly string[];
}

/** Splits output of git with `-z` into names. */
export function decodeNames(output: Buffer): DecodedNames {
  const names = output.toString().split("\0").slice(0, -1);
  if (!names.some(hasReplacement)) return { names, undecodable: [] };
  const undecodable = new Set<string>();
  for (let start = 0, index = 0; start < output.length; index += 1) {
    const end = output.indexOf(0, start);
    const name = names[index] ?? "";
    if (hasReplacement(name) && !Buffer.from(name).equals(output.subarray(start, end))) undecodable.add(name);
    start = end + 1;
  }
  return { names: names.filter((name) => !undecodable.has(name)), undecodable: [...undecodable] };
}

/** Encodes names for the standard input of git with `-z`. */
export function encodeNames(names: Iterable<string>): string {
  let encoded = "";
  for (const name of names) encoded += `${name}\0`;
  return encoded;
}

// U+FFFD replaces bytes that are not valid UTF-8, but it may also be a character of the name.
function hasReplacement(name: string): boolean {
  return name.includes("\uFFFD");
}
