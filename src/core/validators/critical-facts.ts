import type { Message } from "../message/message.ts";
import type { Identifier } from "../text/identifiers.ts";
import { collectIdentifiers, FACT_SOURCES, type FactSource } from "./facts/fact-source.ts";
import { constraintLines, requestTexts } from "./facts/instructions.ts";
import { earlierSummaryTexts, lastAssistantTexts } from "./facts/open-work.ts";
import { touchedFiles } from "./facts/touched-files.ts";
import { unresolvedErrorTexts } from "./facts/unresolved-errors.ts";

/** An identifier that whoever goes on with the work will probably need. */
export interface CriticalFact extends Identifier {
  /** The sum of what its sources weigh: the more of them name it, the more it matters. */
  readonly weight: number;
  /** Where it was found, heaviest first. */
  readonly sources: readonly FactSource[];
}

/** So many facts are asked for at most, however much is hidden. */
export const MAX_CRITICAL_FACTS = 60;

/**
 * The identifiers in `hidden` that matter for going on, heaviest first: those of the user's instructions, of files used
 * last, of unresolved errors, of the last assistant turns and of an earlier summary. `kept` tells which errors were
 * settled later.
 */
export function criticalFacts(hidden: readonly Message[], kept: readonly Message[]): readonly CriticalFact[] {
  const facts = new Map<string, CriticalFact>();
  for (const [source, texts] of textsBySource(hidden, kept)) {
    for (const { kind, value } of collectIdentifiers(source, texts)) {
      const { weight = 0, sources = [] } = facts.get(value) ?? {};
      facts.set(value, { kind, value, weight: weight + FACT_SOURCES[source].weight, sources: [...sources, source] });
    }
  }
  return [...facts.values()].sort((a, b) => b.weight - a.weight).slice(0, MAX_CRITICAL_FACTS);
}

/** Heaviest first, so that the sources of a fact are in that order. */
function textsBySource(hidden: readonly Message[], kept: readonly Message[]): readonly SourceTexts[] {
  return [
    ["constraint", constraintLines(hidden)],
    ["modified-file", touchedFiles(hidden, "modified")],
    ["unresolved-error", unresolvedErrorTexts(hidden, kept)],
    ["earlier-summary", earlierSummaryTexts(hidden)],
    ["request", requestTexts(hidden)],
    ["read-file", touchedFiles(hidden, "read")],
    ["open-work", lastAssistantTexts(hidden)],
  ];
}

type SourceTexts = readonly [FactSource, Iterable<string>];
