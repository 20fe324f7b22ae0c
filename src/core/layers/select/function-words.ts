import { ENTRY_SIZE, listTerms, type TermHash } from "../../recall/passages/term-list.ts";

// The commonest words without a meaning of their own, in the languages that tasks are mostly written in.
const FUNCTION_WORDS = [
  "a an and any are as at be been but by can could do does for from had has have how i if in into is it its let may me more most",
  "must my no not of on once one only or our out over please shall should so some such than that the their them then there these",
  "they this those to up us use was we were what when where which who why will with without would you your",
  "au aux avec ce ces cette dans de des du elle en est et il la le les leur mais ne nous ou par pas pour que qui sans se sur un",
  "une vous",
  "aber als am an auch auf aus bei bin das dem den der des die durch ein eine einem einen einer es für hat ich ihr im in ist kein",
  "mit nach nicht noch nur oder sich sie sind so um und uns unter vom von vor wenn wie wir wird zu zum zur",
  "al como con del el ella en es esta este la las lo los más no nos o para pero por que se su sus un una y",
  "ao com da das do dos e em na nas não nos o os ou para por pela pelo que se sem um uma",
  "che con da dei del della di e gli il in la le lo ma nel non per si sono su un una",
  "в во для и из к как на не но о от по при с со то у что это",
].join(" ");

/** The terms of those words, one half of the hash by the other. */
const functionTerms = new Map<number, number>();
const { entries, start, end } = listTerms(FUNCTION_WORDS);
for (let at = start; at < end; at += ENTRY_SIZE) functionTerms.set(entries[at] ?? 0, entries[at + 1] ?? 0);

/** Whether a term only holds sentences together: every text has such, and among few texts their number does not show it. */
export function isFunctionTerm({ low, high }: TermHash): boolean {
  return functionTerms.get(low) === high;
}
