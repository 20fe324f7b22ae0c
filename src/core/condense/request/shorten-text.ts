import { cutAfter, cutBefore } from "../../text/clip-cut.ts";
import { fitToBudget } from "../../truncate/clip/clip-fit.ts";

const HEAD_SHARE = 0.6;

/** Cuts a text that is over the budget to its head and tail. For text that a model reads once: the cut names no fold, and cannot be undone. */
export function shortenText(text: string, budgetTokens: number, countTokens: (text: string) => number): string {
  const totalTokens = countTokens(text);
  if (totalTokens <= budgetTokens) return text;
  const render = (characters: number) => headAndTail(text, characters);
  return fitToBudget({ render, countTokens, budgetTokens, totalTokens, totalCharacters: text.length });
}

function headAndTail(text: string, characters: number): string {
  const head = text.slice(0, cutBefore(text, Math.floor(characters * HEAD_SHARE)));
  const tail = text.slice(cutAfter(text, text.length - Math.floor(characters * (1 - HEAD_SHARE))));
  return `${head}\n[… shortened …]\n${tail}`;
}
