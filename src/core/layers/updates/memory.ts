import { assert } from "../../assert.ts";
import { PRIORITIES } from "../layer-names.ts";
import type {
  Definition,
  Episode,
  Fact,
  KnowledgeEntry,
  LayeredState,
  MemoryLayer,
  Preference,
  SemanticMemory,
  ShortTermEntry,
  VariableValue,
} from "../layered-state.ts";
import { scalar } from "../state/checks.ts";
import { ENTRY_CHECKS } from "../state/entry-checks.ts";
import { idOf, put } from "./lists.ts";
import { DEFAULT_TTL_MS } from "./time-to-live.ts";

/** A short-term entry to be added. */
export type NewShortTermEntry = Omit<ShortTermEntry, "ttlMs"> & {
  /** @default 300_000 */
  readonly ttlMs?: number;
};

/**
 * Adds an entry to short-term memory, in place of one with the same id.
 * @example
 * ```ts
 * import { createInitialState, remember } from "palimpsest/agent";
 * const state = remember(createInitialState("Fix the login"), { id: "s1", at: 0, content: "The server listens on 7717." });
 * console.log(state.l3_memory.shortTerm[0]?.ttlMs); // 300000
 * ```
 */
export function remember(state: LayeredState, entry: NewShortTermEntry): LayeredState {
  const whole: ShortTermEntry = { ...entry, ttlMs: entry?.ttlMs ?? DEFAULT_TTL_MS };
  ENTRY_CHECKS.shortTermEntry(whole, "entry");
  return withMemory(state, { shortTerm: put(state.l3_memory.shortTerm, whole, idOf) });
}

/**
 * Sets a working variable; `undefined` removes it.
 * @example
 * ```ts
 * import { createInitialState, setWorkingVariable } from "palimpsest/agent";
 * const state = setWorkingVariable(createInitialState("Fix the login"), "port", 7717);
 * console.log(state.l3_memory.workingVariables); // { port: 7717 }
 * console.log(setWorkingVariable(state, "port", undefined).l3_memory.workingVariables); // {}
 * ```
 */
export function setWorkingVariable(state: LayeredState, name: string, value: VariableValue | undefined): LayeredState {
  assert(typeof name === "string" && name !== "", "name", name, "a name that is not empty");
  if (value !== undefined) scalar(value, "value");
  const { workingVariables = {} } = state.l3_memory;
  if (value !== undefined) return withMemory(state, { workingVariables: { ...workingVariables, [name]: value } });
  const others = Object.entries(workingVariables).filter(([other]) => other !== name);
  return withMemory(state, { workingVariables: Object.fromEntries(others) });
}

/**
 * Adds an episode. Where there are more than 50, the oldest is removed; milestones above low importance are removed only where there are no
 * others.
 * @example
 * ```ts
 * import { createInitialState, recordEpisode } from "palimpsest/agent";
 * const state = recordEpisode(createInitialState("Fix the login"), { type: "decision", id: "e1", at: 0, content: "Use JWT." });
 * console.log(state.l3_memory.episodic.map(({ type }) => type)); // [ 'decision' ]
 * ```
 */
export function recordEpisode(state: LayeredState, episode: Episode): LayeredState {
  ENTRY_CHECKS.episode(episode, "episode");
  return withMemory(state, { episodic: keepEpisodes(put(state.l3_memory.episodic, episode, idOf)) });
}

/**
 * Adds a fact, in place of one with the same id.
 * @example
 * ```ts
 * import { createInitialState, learnFact } from "palimpsest/agent";
 * const fact = { id: "f1", at: 0, content: "Tokens expire after an hour.", source: "docs", confidence: 0.9, isVerified: true };
 * console.log(learnFact(createInitialState("Fix the login"), fact).l3_memory.semantic.facts.length); // 1
 * ```
 */
export function learnFact(state: LayeredState, fact: Fact): LayeredState {
  ENTRY_CHECKS.fact(fact, "fact");
  return withSemantic(state, { facts: put(state.l3_memory.semantic.facts, fact, idOf) });
}

/**
 * Adds the definition of a term, in place of an earlier one.
 * @example
 * ```ts
 * import { createInitialState, define } from "palimpsest/agent";
 * const state = define(createInitialState("Fix the login"), { term: "fold", meaning: "a reversible act of hiding" });
 * console.log(state.l3_memory.semantic.definitions.map(({ term }) => term)); // [ 'fold' ]
 * ```
 */
export function define(state: LayeredState, definition: Definition): LayeredState {
  ENTRY_CHECKS.definition(definition, "definition");
  const definitions = put(state.l3_memory.semantic.definitions, definition, ({ term }) => term);
  return withSemantic(state, { definitions });
}

/**
 * Sets a preference of the user.
 * @example
 * ```ts
 * import { createInitialState, setPreference } from "palimpsest/agent";
 * const state = setPreference(createInitialState("Fix the login"), { key: "quotes", value: "double" });
 * console.log(state.l3_memory.semantic.preferences.map(({ key }) => key)); // [ 'quotes' ]
 * ```
 */
export function setPreference(state: LayeredState, preference: Preference): LayeredState {
  ENTRY_CHECKS.preference(preference, "preference");
  const preferences = put(state.l3_memory.semantic.preferences, preference, ({ key }) => key);
  return withSemantic(state, { preferences });
}

/**
 * Adds knowledge about the project, in place of an entry with the same id.
 * @example
 * ```ts
 * import { addKnowledge, createInitialState } from "palimpsest/agent";
 * const state = addKnowledge(createInitialState("Fix the login"), { id: "k1", topic: "build", content: "npm run build" });
 * console.log(state.l3_memory.semantic.projectKnowledge.map(({ topic }) => topic)); // [ 'build' ]
 * ```
 */
export function addKnowledge(state: LayeredState, knowledge: KnowledgeEntry): LayeredState {
  ENTRY_CHECKS.knowledge(knowledge, "knowledge");
  return withSemantic(state, { projectKnowledge: put(state.l3_memory.semantic.projectKnowledge, knowledge, idOf) });
}

/** The state with some of its memory replaced. */
export function withMemory(state: LayeredState, change: Partial<MemoryLayer>): LayeredState {
  return { ...state, l3_memory: { ...state.l3_memory, ...change } };
}

function withSemantic(state: LayeredState, change: Partial<SemanticMemory>): LayeredState {
  return withMemory(state, { semantic: { ...state.l3_memory.semantic, ...change } });
}

/** How many episodes are kept. */
const MAX_EPISODES = 50;

/** Whether an episode is a milestone above low importance: these are always shown, and kept before other episodes. */
export function isNotable(episode: Episode): boolean {
  return episode.type === "milestone" && PRIORITIES[episode.importance] > PRIORITIES.low;
}

/** At most {@link MAX_EPISODES} of the episodes, in their order. */
function keepEpisodes(episodes: readonly Episode[]): readonly Episode[] {
  const surplus = episodes.length - MAX_EPISODES;
  if (surplus <= 0) return episodes;
  const leastNotableFirst = episodes.toSorted(
    (one, other) => Number(isNotable(one)) - Number(isNotable(other)) || one.at - other.at,
  );
  const removed = new Set(leastNotableFirst.slice(0, surplus));
  return episodes.filter((episode) => !removed.has(episode));
}
