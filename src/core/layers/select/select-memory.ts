import { type ContextItem, itemMaker } from "../context/context-item.ts";
import type { MemoryKind } from "../layer-names.ts";
import type {
  Definition,
  Episode,
  Fact,
  KnowledgeEntry,
  MemoryLayer,
  Phase,
  Preference,
  ShortTermEntry,
  VariableValue,
} from "../layered-state.ts";
import { isNotable } from "../updates/memory.ts";
import { isLive } from "../updates/time-to-live.ts";
import { CONTEXT_LIMITS } from "./limits.ts";
import type { Relevance } from "./relevance.ts";
import { proceduralItems } from "./select-procedures.ts";

const entryItem = itemMaker<ShortTermEntry>(({ content }) => ({
  tag: "entry",
  attributes: {},
  text: content,
  priority: "high",
}));

const variableItem = ([name, value]: readonly [string, VariableValue]): ContextItem => ({
  tag: "variable",
  attributes: { name },
  text: String(value),
  priority: "high",
});

const episodeItem = itemMaker<Episode>((episode) => {
  const { type, content, condensedFrom } = episode;
  switch (type) {
    case "summary":
      return { tag: type, attributes: { "condensed-from": condensedFrom?.length }, text: content, priority: "medium" };
    case "decision":
      return {
        tag: type,
        attributes: { reason: episode.reason, alternatives: episode.alternatives?.join("; ") || undefined },
        text: content,
        priority: "high",
      };
    case "milestone":
      return { tag: type, attributes: { importance: episode.importance }, text: content, priority: episode.importance };
  }
});

const factItem = itemMaker<Fact>(({ source, confidence, content }) => ({
  tag: "fact",
  attributes: { source, confidence },
  text: content,
  priority: "high",
}));

const preferenceItem = itemMaker<Preference>(({ key, value }) => ({
  tag: "preference",
  attributes: { key },
  text: value,
  priority: "high",
}));

const definitionItem = itemMaker<Definition>(({ term, meaning, context, examples = [], references = [] }) => ({
  tag: "definition",
  attributes: { term, context, references: references.join("; ") || undefined },
  text: [meaning, ...examples.map((example) => `Example: ${example}`)].join("\n"),
  priority: "medium",
}));

const knowledgeItem = itemMaker<KnowledgeEntry>(({ topic, content }) => ({
  tag: "knowledge",
  attributes: { topic },
  text: content,
  priority: "medium",
}));

/** The items of memory for a context, by kind. */
export function memoryItems(
  memory: MemoryLayer,
  { now, phase, relevance }: { readonly now: number; readonly phase: Phase; readonly relevance: Relevance },
): Readonly<Record<MemoryKind, readonly ContextItem[]>> {
  const { workingVariables = {}, shortTerm, episodic, semantic, procedural } = memory;
  const live = shortTerm.filter((entry) => isLive(entry, now));
  return {
    shortTerm: [
      ...Object.entries(workingVariables).map(variableItem),
      ...newestFirst(live).slice(0, CONTEXT_LIMITS.observations).map(entryItem),
    ],
    episodic: chooseEpisodes(episodic, relevance).map(episodeItem),
    semantic: [
      ...semantic.preferences.map(preferenceItem),
      ...chooseFacts(semantic.facts, relevance).map(factItem),
      ...relevance.relevant(semantic.definitions).map(definitionItem),
      ...relevance.relevant(semantic.projectKnowledge).map(knowledgeItem),
    ],
    procedural: proceduralItems(procedural, { phase, relevance }),
  };
}

/** All decisions, the milestones above low importance, and the five most relevant summaries, whatever their relevance. */
function chooseEpisodes(episodes: readonly Episode[], relevance: Relevance): readonly Episode[] {
  const decisions = episodes.filter(({ type }) => type === "decision");
  const summaries = episodes.filter(({ type }) => type === "summary");
  return [
    ...newestFirst(decisions),
    ...newestFirst(episodes.filter(isNotable)),
    ...relevance.ranked(summaries).slice(0, CONTEXT_LIMITS.summaries),
  ];
}

/** The ten verified and relevant facts with the highest confidence; among equals, the most relevant. */
function chooseFacts(facts: readonly Fact[], relevance: Relevance): readonly Fact[] {
  return relevance
    .relevant(facts.filter(({ isVerified }) => isVerified))
    .toSorted((one, other) => other.confidence - one.confidence)
    .slice(0, CONTEXT_LIMITS.facts);
}

/** Sorts entries by time, the newest first; among those of the same time, the later in the list. */
export function newestFirst<Entry extends { readonly at: number }>(entries: readonly Entry[]): readonly Entry[] {
  return entries.toReversed().sort((one, other) => other.at - one.at);
}
