import { isStandIn, summaryId } from "../message/effective-view.ts";
import type { Message } from "../message/message.ts";
import { isConstraint } from "../text/constraint-words.ts";
import { findIdentifiers, type Identifier } from "../text/identifiers.ts";
import { spokenTexts } from "../text/message-texts.ts";
import { touchedFiles } from "./facts/touched-files.ts";
import { unresolvedErrorTexts } from "./facts/unresolved-errors.ts";

/** An identifier that an agent will probably need to go on with the work. */
export interface CriticalFact extends Identifier {
  /** The sum of its sources' weights. */
  readonly weight: number;
  /** The sources that name it, heaviest first. */
  readonly sources: readonly FactSource[];
}

/** The most facts that are returned, however much is hidden. */
export const MAX_CRITICAL_FACTS = 60;

/**
 * The identifiers in `hidden` that an agent needs to go on, heaviest first: those in the user's instructions, in files used
 * last, in unresolved errors, in the last assistant turns and in an earlier summary. Errors are resolved by later calls in `kept`, too.
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

const LAST_TURNS = 3;
const MAX_TURN_CHARACTERS = 4_000;
const MAX_SUMMARY_CHARACTERS = 20_000;

/** The ends of the assistant's last texts, which tell the state of the work and the next step. */
function* lastAssistantTexts(hidden: readonly Message[]): Generator<string> {
  let turns = 0;
  for (const message of hidden.toReversed()) {
    if (message.role !== "assistant" || isStandIn(message)) continue;
    const texts = spokenTexts(message);
    if (texts.length === 0) continue;
    for (const text of texts) yield text.slice(-MAX_TURN_CHARACTERS);
    turns++;
    if (turns === LAST_TURNS) return;
  }
}

/** The newest summary among the hidden messages: the next summary must carry its facts on. */
function* earlierSummaryTexts(hidden: readonly Message[]): Generator<string> {
  const newest = hidden.findLast((message) => summaryId(message) !== undefined);
  if (newest === undefined) return;
  for (const text of spokenTexts(newest)) yield text.slice(0, MAX_SUMMARY_CHARACTERS);
}

/**
 * Where a fact comes from.
 * - `constraint`: a line in which the user says what must, must not or may only be done.
 * - `request`: another line of the user's.
 * - `modified-file`, `read-file`: a file that a tool call named, most recently used first.
 * - `unresolved-error`: a failed tool call that did not succeed later.
 * - `open-work`: what the assistant said last.
 * - `earlier-summary`: a summary that is itself being hidden.
 */
type FactSource = keyof typeof FACT_SOURCES;

/** The weight of a fact of each source, and the most facts that a source may add. */
const FACT_SOURCES = {
  constraint: { weight: 3, limit: 20 },
  "modified-file": { weight: 3, limit: 10 },
  "unresolved-error": { weight: 2, limit: 15 },
  "earlier-summary": { weight: 2, limit: 15 },
  request: { weight: 1, limit: 10 },
  "read-file": { weight: 1, limit: 5 },
  "open-work": { weight: 1, limit: 15 },
} as const satisfies Record<string, { readonly weight: number; readonly limit: number }>;

/** The identifiers of these texts, each once, up to the limit of the source. */
function collectIdentifiers(source: FactSource, texts: Iterable<string>): readonly Identifier[] {
  const identifiers = new Map<string, Identifier>();
  for (const text of texts) {
    for (const { kind, value } of findIdentifiers(text)) {
      if (!identifiers.has(value)) identifiers.set(value, { kind, value });
      if (identifiers.size >= FACT_SOURCES[source].limit) return [...identifiers.values()];
    }
  }
  return [...identifiers.values()];
}

/** A line or a message that is longer has pasted material, not instructions, beyond this length. */
const MAX_LINE_CHARACTERS = 1_000;
const MAX_REQUEST_CHARACTERS = 4_000;

/** How many of the newest requests count, besides the first one. */
const NEWEST_REQUESTS = 3;

/** The lines in which the user states rules, newest message first: later instructions override earlier ones. */
function* constraintLines(hidden: readonly Message[]): Generator<string> {
  for (const message of saidByUser(hidden)) {
    for (const text of spokenTexts(message)) {
      for (const line of text.split("\n")) {
        const start = line.slice(0, MAX_LINE_CHARACTERS);
        if (isConstraint(start)) yield start;
      }
    }
  }
}

/** The user's newest messages and the first one, where the goal was set. */
function* requestTexts(hidden: readonly Message[]): Generator<string> {
  const messages = saidByUser(hidden);
  const first = messages.at(-1);
  const newest = messages.slice(0, NEWEST_REQUESTS);
  const chosen = first === undefined || newest.includes(first) ? newest : [...newest, first];
  for (const message of chosen) {
    for (const text of spokenTexts(message)) yield text.slice(0, MAX_REQUEST_CHARACTERS);
  }
}

function saidByUser(hidden: readonly Message[]): readonly Message[] {
  const isSaid = (message: Message) =>
    message.role === "user" && !isStandIn(message) && spokenTexts(message).length > 0;
  return hidden.filter(isSaid).toReversed();
}
