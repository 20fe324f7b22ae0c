import type { OldText } from "./old-texts.ts";

const SEARCH = /^<{5,9} ?SEARCH\b/;
const DIVIDER = /^={5,9}$/;
// Roo puts a line number and a rule above the text.
const PREAMBLE = /^(?::(?:start|end)_line:.*|-{5,9})$/;

/** The texts of SEARCH blocks, `<<<<<<< SEARCH` down to `=======`. */
export function searchedTexts(text: string, path: string | undefined): readonly OldText[] {
  if (!text.includes("SEARCH")) return [];
  const found: OldText[] = [];
  let lines: string[] | undefined;
  for (const line of text.split(/\r?\n/)) {
    if (SEARCH.test(line)) lines = [];
    else if (lines !== undefined && DIVIDER.test(line.trimEnd())) {
      found.push({ path, text: lines.join("\n") });
      lines = undefined;
    } else if (!PREAMBLE.test(line.trim())) lines?.push(line);
  }
  return found;
}
