/** Splits an id into the words by which ids are compared: `Claude-Sonnet-4.5` and `claude_sonnet_4_5` have the same four words. */
export function modelWords(id: string): readonly string[] {
  return id
    .toLowerCase()
    .replace(/(?<=[a-z])(?=[0-9])/g, "-")
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
}

/** Whether `id` contains the words of `name` in a row; a name that ends in a version must not be followed by a further number of it. */
export function namesModel(name: readonly string[], id: readonly string[]): boolean {
  for (let start = 0; start + name.length <= id.length; start++) {
    const isHere = name.every((word, i) => word === id[start + i]);
    if (isHere && !isOtherVersion(name, id[start + name.length])) return true;
  }
  return false;
}

// gpt-5 is not gpt-5.9, and claude-opus-4 not claude-opus-4-9; dates and build numbers have three digits or more
function isOtherVersion(name: readonly string[], next: string | undefined): boolean {
  const endsInVersion = /^[0-9]+$/.test(name.at(-1) ?? "");
  return endsInVersion && next !== undefined && /^[0-9]{1,2}$/.test(next);
}
