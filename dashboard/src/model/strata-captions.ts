/** The words that stand in and over the picture of Strata. */
import type { StrataColumn, StrataFold } from "../api/strata-types.ts";
import { counted, shortNumber } from "./format.ts";

const CAUSE_LABELS: Readonly<Record<string, string>> = {
  pays: "saves money",
  cold: "cache was cold",
  threshold: "window full",
  limit: "did not fit",
  request: "asked for",
  hand: "by hand",
};

/** Why something was folded for a request, in a word or two: what stands at its line. */
export function foldLabel(folds: readonly StrataFold[], reason: string): string {
  return [...new Set(folds.map(({ cause = reason }) => CAUSE_LABELS[cause] ?? cause))].join(", ");
}

/** What the picture shows, in a sentence or two. */
export function strataSummary(messages: number, newest: StrataColumn | undefined): string {
  const said = messages === 1 ? "One message" : counted(messages, "message");
  if (newest === undefined) return `${said}; no request has been recorded yet.`;
  const { index, promptTokens, hiddenTokens } = newest;
  const sent = `${said} in ${counted(index + 1, "request")}. The newest request sent ${shortNumber(promptTokens)} tokens`;
  if (hiddenTokens === undefined) return `${sent}.`;
  if (hiddenTokens === 0) return `${sent}, and nothing was hidden from it.`;
  return `${sent}; ${shortNumber(hiddenTokens)} more were hidden from it, and are kept word for word: open a row to read it, or to bring it back.`;
}
