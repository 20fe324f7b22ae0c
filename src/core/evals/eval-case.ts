import type { Message } from "../message/message.ts";
import { createRecallIndex, type RecallIndex } from "../recall/recall-index.ts";
import type { Boundary, EvalSession, NeededIdentifier } from "./eval-types.ts";
import { findEditLines } from "./find-edit-lines.ts";
import type { Questions } from "./measures/measure-view.ts";
import { indexSourceLines } from "./measures/source-lines.ts";
import { wordSet } from "./needed/eval-identifiers.ts";
import { findNeeded } from "./needed/find-needed.ts";
import { linesOf } from "./view/message-parts.ts";

/** A boundary with the questions that a view is asked there. */
export interface EvalCase {
  readonly boundary: Boundary;
  /** The log before the boundary. */
  readonly log: readonly Message[];
  readonly questions: Questions;
  /** Whether one recall query of the agent would have shown this identifier; cached. */
  isRecalled(identifier: string): boolean;
}

const RECALL_BUDGET_TOKENS = 1_500;

export function createEvalCase(session: EvalSession, boundary: Boundary, common: ReadonlySet<string>): EvalCase {
  const log = session.messages.slice(0, boundary.index);
  const needed = findNeeded(session, boundary, common);
  const identifiers = new Set(needed.map(({ value }) => value));
  const source = indexSourceLines(log, identifiers);
  const editLines = findEditLines(session, boundary, source.lines);
  return { boundary, log, questions: { source, identifiers, editLines }, isRecalled: createRecallTest(log, needed) };
}

/** Creates `isRecalled`. Its index covers the whole log, so that the answer does not depend on what a strategy hid. */
function createRecallTest(log: readonly Message[], needed: readonly NeededIdentifier[]): EvalCase["isRecalled"] {
  const queries = new Map(needed.map(({ value, query }) => [value, query]));
  const answers = new Map<string, boolean>();
  let index: RecallIndex | undefined;
  return (identifier) => {
    const cached = answers.get(identifier);
    if (cached !== undefined) return cached;
    index ??= createRecallIndex(log, { scope: "all" });
    const hits = index.recall(queries.get(identifier) ?? "", { budgetTokens: RECALL_BUDGET_TOKENS });
    const isShown = wordSet(hits.flatMap(({ text }) => linesOf(text))).has(identifier);
    answers.set(identifier, isShown);
    return isShown;
  };
}
