import { demand } from "../../demand.ts";
import type {
  Definition,
  Episode,
  Fact,
  KnowledgeEntry,
  LayeredState,
  MemoryLayer,
  Preference,
  ProceduralMemory,
  Procedure,
  SemanticMemory,
  ShortTermEntry,
} from "../layered-state.ts";
import { ENTRY_CHECKS } from "../state/entry-checks.ts";
import { keepEpisodes } from "./keep-episodes.ts";
import { idOf, put } from "./lists.ts";
import { DEFAULT_TTL_MS } from "./time-to-live.ts";

/** An entry to remember for a while. */
export type NewShortTermEntry = Omit<ShortTermEntry, "ttlMs"> & {
  /** @default 300_000 */
  readonly ttlMs?: number;
};

/** Remembers something for a while; what has the same id is replaced. */
export function remember(state: LayeredState, entry: NewShortTermEntry): LayeredState {
  const whole: ShortTermEntry = { ...entry, ttlMs: entry?.ttlMs ?? DEFAULT_TTL_MS };
  ENTRY_CHECKS.shortTermEntry(whole, "entry");
  return withMemory(state, { shortTerm: put(state.l3_memory.shortTerm, whole, idOf) });
}

/**
 * Remembers what happened. Of more than 50 episodes the oldest goes; milestones above low importance go only when nothing else
 * is left.
 */
export function recordEpisode(state: LayeredState, episode: Episode): LayeredState {
  ENTRY_CHECKS.episode(episode, "episode");
  return withMemory(state, { episodic: keepEpisodes(put(state.l3_memory.episodic, episode, idOf)) });
}

/** Learns a fact; what was known by the same id is replaced. */
export function learnFact(state: LayeredState, fact: Fact): LayeredState {
  ENTRY_CHECKS.fact(fact, "fact");
  return withSemantic(state, { facts: put(state.l3_memory.semantic.facts, fact, idOf) });
}

/** Learns what a term means. */
export function define(state: LayeredState, definition: Definition): LayeredState {
  ENTRY_CHECKS.definition(definition, "definition");
  const definitions = put(state.l3_memory.semantic.definitions, definition, ({ term }) => term);
  return withSemantic(state, { definitions });
}

/** Learns what the user prefers. */
export function setPreference(state: LayeredState, preference: Preference): LayeredState {
  ENTRY_CHECKS.preference(preference, "preference");
  const preferences = put(state.l3_memory.semantic.preferences, preference, ({ key }) => key);
  return withSemantic(state, { preferences });
}

/** Learns something about the project. */
export function addKnowledge(state: LayeredState, knowledge: KnowledgeEntry): LayeredState {
  ENTRY_CHECKS.knowledge(knowledge, "knowledge");
  return withSemantic(state, { projectKnowledge: put(state.l3_memory.semantic.projectKnowledge, knowledge, idOf) });
}

/** Learns how something is done. */
export function addProcedure(state: LayeredState, kind: keyof ProceduralMemory, procedure: Procedure): LayeredState {
  const { procedural } = state.l3_memory;
  demand(Object.hasOwn(procedural, kind), "kind", kind, `one of ${Object.keys(procedural).join(", ")}`);
  ENTRY_CHECKS.procedure(procedure, "procedure");
  return withMemory(state, { procedural: { ...procedural, [kind]: put(procedural[kind], procedure, idOf) } });
}

function withMemory(state: LayeredState, change: Partial<MemoryLayer>): LayeredState {
  return { ...state, l3_memory: { ...state.l3_memory, ...change } };
}

function withSemantic(state: LayeredState, change: Partial<SemanticMemory>): LayeredState {
  return withMemory(state, { semantic: { ...state.l3_memory.semantic, ...change } });
}
