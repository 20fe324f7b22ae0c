import { assert, assertArray } from "../../assert.ts";
import type { Definition, LayeredState } from "../layered-state.ts";
import { CONTEXT_LIMITS } from "./limits.ts";
import { comparedProcedures } from "./select-procedures.ts";

/**
 * Returns the similarity of each text to the goal, from 0 to 1, in the order of the texts. Called once for each context, and
 * synchronously: to compare texts by embeddings, compute those of {@link comparedTexts} first.
 */
export type Similarity = (goal: string, texts: readonly string[]) => readonly number[];

/** The relevance of entries for the goal. */
export interface Relevance {
  of(entry: object): number;
  /** The relevant entries, the most relevant first; among equals, the later ones in the list, which are newer. */
  relevant<Entry extends object>(entries: readonly Entry[]): readonly Entry[];
  /** All entries in that order. */
  ranked<Entry extends object>(entries: readonly Entry[]): readonly Entry[];
}

interface Compared {
  readonly entry: object;
  readonly text: string;
}

/**
 * The texts that a context of this state compares with its goal.
 * @example
 * ```ts
 * import { comparedTexts, createInitialState, learnFact } from "palimpsest/agent";
 * const fact = { id: "f1", at: 0, content: "Tokens expire after an hour.", source: "docs", confidence: 1, isVerified: true };
 * console.log(comparedTexts(learnFact(createInitialState("Fix the login"), fact))); // [ 'Tokens expire after an hour.' ]
 * ```
 */
export function comparedTexts(state: LayeredState): readonly string[] {
  return comparedEntries(state).map(({ text }) => text);
}

/** Compares the memory entries of a state with its goal. */
export function measureRelevance(state: LayeredState, similarity: Similarity): Relevance {
  const compared = comparedEntries(state);
  const texts = compared.map(({ text }) => text);
  const similarities = texts.length === 0 ? [] : similarity(state.l1_task.goal, texts);
  assertArray("similarity(goal, texts)", similarities);
  assert(
    similarities.length === texts.length,
    "similarity(goal, texts).length",
    similarities.length,
    `${texts.length}`,
  );
  const similarityOf = new Map<object, number>();
  for (const [index, { entry }] of compared.entries()) {
    const value: unknown = similarities[index];
    assert(typeof value === "number" && Number.isFinite(value), `similarity(goal, texts)[${index}]`, value, "a number");
    similarityOf.set(entry, value);
  }
  const of = (entry: object) => similarityOf.get(entry) ?? 0;
  const ranked = <Entry extends object>(entries: readonly Entry[]) =>
    entries.toReversed().sort((one, other) => of(other) - of(one));
  return {
    of,
    ranked,
    relevant: (entries) => ranked(entries.filter((entry) => of(entry) > CONTEXT_LIMITS.relevance)),
  };
}

function definitionText({ term, meaning, context = "" }: Definition): string {
  return `${term}: ${meaning}${context === "" ? "" : ` (${context})`}`;
}

function comparedEntries({ l2_runtime, l3_memory }: LayeredState): readonly Compared[] {
  const { episodic, semantic, procedural } = l3_memory;
  const compared: Compared[] = [];
  for (const entry of episodic) if (entry.type === "summary") compared.push({ entry, text: entry.content });
  for (const entry of semantic.facts) if (entry.isVerified) compared.push({ entry, text: entry.content });
  for (const entry of semantic.definitions) compared.push({ entry, text: definitionText(entry) });
  for (const entry of semantic.projectKnowledge) compared.push({ entry, text: `${entry.topic}: ${entry.content}` });
  return [...compared, ...comparedProcedures(procedural, l2_runtime.phase)];
}
