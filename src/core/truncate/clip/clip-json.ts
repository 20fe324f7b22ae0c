import { parseJson } from "../../json/parse-json.ts";
import { clipNotice } from "../stand-in.ts";
import { type Clip, fitToBudget } from "./clip-fit.ts";
import { renderJson } from "./clip-json-render.ts";
import { jsonSource, skipSpace } from "./clip-json-scan.ts";

/**
 * Clips an array or object as JSON: long strings to head and tail, long lists to their first and last entries, deep
 * levels to a note. What stays is copied from the source, so that numbers keep all their digits and the layout stays.
 *
 * Undefined when the text is not such JSON, or cannot be brought within the budget in this way.
 */
export function clipJson(text: string, clip: Clip): string | undefined {
  if (clip.budgetTokens <= 0 || !isContainer(text)) return undefined;
  const source = jsonSource(text);
  const notice = (what: string) => clipNotice({ ...clip, what });
  const render = (characters: number) => renderJson(source, { characters, notice });
  const clipped = fitToBudget({ ...clip, render, totalCharacters: text.length });
  // Without a notice only white space was left out: too much of it to be layout, and it must be told too.
  const isTold = clipped.includes(clip.foldId);
  return isTold && clip.countTokens(clipped) <= clip.budgetTokens ? clipped : undefined;
}

function isContainer(text: string): boolean {
  const first = text[skipSpace(text, 0)];
  const last = text.trimEnd().at(-1);
  if (!((first === "{" && last === "}") || (first === "[" && last === "]"))) return false;
  try {
    parseJson(text);
    return true;
  } catch {
    return false;
  }
}
