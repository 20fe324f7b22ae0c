import type { OldText } from "./old-texts.ts";

const BEGIN = "*** Begin Patch";
const UPDATE = "*** Update File: ";

/** The old text of each file in an apply_patch text: lines that stay and lines that go. */
export function patchedFiles(text: string): readonly OldText[] {
  if (!text.includes(BEGIN)) return [];
  const files: { path: string; lines: string[] }[] = [];
  let isOpen = false;
  for (const line of text.slice(text.indexOf(BEGIN)).split(/\r?\n/)) {
    if (line.startsWith(UPDATE)) files.push({ path: line.slice(UPDATE.length).trim(), lines: [] });
    if (line.startsWith("*** ")) isOpen = line.startsWith(UPDATE) || (isOpen && line.startsWith("*** Move to"));
    else if (isOpen && (line.startsWith(" ") || line.startsWith("-"))) files.at(-1)?.lines.push(line.slice(1));
  }
  return files.map(({ path, lines }) => ({ path, text: lines.join("\n") }));
}
