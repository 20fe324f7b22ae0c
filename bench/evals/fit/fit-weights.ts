import type { LedgerWeights } from "palimpsest/core";
import type { CodingSession } from "../coding-sessions.ts";
import { type FitOptions, fitComparison, fitLogistic } from "./fit-model.ts";
import type { LedgerDataset } from "./ledger-dataset.ts";

const PENALTY = 1;

/** Fits the weights of the ledger to those sessions of the data that are to be used. */
export function fitWeights(data: LedgerDataset, isUsed: (session: CodingSession) => boolean): LedgerWeights {
  const used = data.examples.filter(({ session }) => isUsed(session));
  const options = (terms: readonly string[]): FitOptions => ({ terms: terms.length, penalty: PENALTY });
  const identifiers = fitLogistic(
    used.map((each) => each.identifiers),
    options(data.identifierTerms),
  );
  const lines = fitComparison(
    used.map((each) => each.lines),
    options(data.lineTerms),
  );
  const weightOf = (terms: readonly string[], weights: Float64Array) => (term: string) =>
    Number((weights[terms.indexOf(term)] ?? 0).toFixed(3));
  const identifier = weightOf(data.identifierTerms, identifiers);
  const edit = weightOf(data.lineTerms, lines);
  return {
    identifiers: {
      always: identifier("always"),
      sinceNamed: identifier("sinceNamed"),
      sinceAgent: identifier("sinceAgent"),
      sinceFirst: identifier("sinceFirst"),
      messages: identifier("messages"),
      agentMessages: identifier("agentMessages"),
      fewestLines: identifier("fewestLines"),
      isNamedByUser: identifier("isNamedByUser"),
      isFlag: identifier("isFlag"),
      isUrl: identifier("isUrl"),
      isAsked: identifier("isAsked"),
      isSpoken: identifier("isSpoken"),
      spokenWords: identifier("spokenWords"),
      isWritten: identifier("isWritten"),
    },
    edits: {
      age: edit("age"),
      lines: edit("lines"),
      isOpen: edit("isOpen"),
      isOutput: edit("isOutput"),
      isWrite: edit("isWrite"),
      laterFiles: edit("laterFiles"),
      fileReads: edit("fileReads"),
      nearEdits: edit("nearEdits"),
      nearNames: edit("nearNames"),
      nearWords: edit("nearWords"),
      isHead: edit("isHead"),
      isTail: edit("isTail"),
    },
  };
}
