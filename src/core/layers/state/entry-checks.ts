import type {
  Checklist,
  ChecklistItem,
  Citation,
  Definition,
  Draft,
  DraftVersion,
  Episode,
  ExecutionStep,
  Fact,
  Failure,
  Hypothesis,
  KnowledgeEntry,
  Measurement,
  Observation,
  Phase,
  PhasedProcedure,
  PlannedChange,
  PlanStep,
  Policy,
  Preference,
  PriorityName,
  ProcedureKinds,
  Retrieval,
  ShortTermEntry,
  Skill,
  Template,
  TemplateVariable,
} from "../layered-state.ts";
import {
  amount,
  assertPlainObject,
  type Check,
  flag,
  listOf,
  moment,
  oneOf,
  optional,
  shape,
  share,
  text,
  texts,
} from "./checks.ts";

const priorityName = oneOf<PriorityName>({ critical: true, high: true, medium: true, low: true, minimal: true });

type EpisodeOf<Type extends Episode["type"]> = Extract<Episode, { readonly type: Type }>;

const EPISODE_TYPES = { summary: true, decision: true, milestone: true } as const satisfies Record<
  Episode["type"],
  true
>;
const episodeType = oneOf(EPISODE_TYPES);
const episodeFields = {
  ...{ type: episodeType, id: text, at: moment, content: text },
  ...{ condensedFrom: optional(texts), tokenCount: optional(amount) },
};
const EPISODES: Readonly<Record<Episode["type"], Check>> = {
  summary: shape<EpisodeOf<"summary">>(episodeFields),
  decision: shape<EpisodeOf<"decision">>({ ...episodeFields, reason: optional(text), alternatives: optional(texts) }),
  milestone: shape<EpisodeOf<"milestone">>({ ...episodeFields, importance: priorityName }),
};

function isEpisodeType(value: unknown): value is Episode["type"] {
  return typeof value === "string" && Object.hasOwn(EPISODE_TYPES, value);
}

/** The check of a phase. */
export const phaseCheck = oneOf<Phase>({
  initializing: true,
  planning: true,
  executing: true,
  reflecting: true,
  verifying: true,
  completed: true,
  failed: true,
});

const procedureFields = { id: text, name: text, content: text };

/** The checks of the entries of procedural memory, by list. */
export const PROCEDURE_CHECKS: Readonly<Record<keyof ProcedureKinds, Check>> = {
  skills: shape<Skill>({
    ...procedureFields,
    description: optional(text),
    steps: optional(texts),
    tools: optional(texts),
    source: optional(text),
  }),
  templates: shape<Template>({
    ...procedureFields,
    variables: optional(
      listOf(shape<TemplateVariable>({ name: text, description: optional(text), default: optional(text) })),
    ),
  }),
  checklists: shape<Checklist>({
    ...procedureFields,
    items: optional(listOf(shape<ChecklistItem>({ id: text, text, isDone: flag }))),
  }),
  procedures: shape<PhasedProcedure>({ ...procedureFields, phases: optional(listOf(phaseCheck)) }),
};

/** The checks of a state's entries, by kind. */
export const ENTRY_CHECKS = {
  policy: shape<Policy>({
    id: text,
    category: text,
    rule: text,
    priority: moment,
    enforcement: oneOf({ hard: true, soft: true }),
  }),
  step: shape<ExecutionStep>({
    at: moment,
    action: text,
    outcome: oneOf({ success: true, failure: true }),
    durationMs: amount,
    inputCharacters: optional(amount),
    outputCharacters: optional(amount),
    warnings: optional(texts),
    retries: optional(amount),
  }),
  failure: shape<Failure>({ id: text, at: moment, error: text, toolName: optional(text), isResolved: flag }),
  shortTermEntry: shape<ShortTermEntry>({ id: text, at: moment, content: text, ttlMs: amount }),
  episode(value: unknown, path: string): void {
    assertPlainObject(path, value);
    const type: unknown = Reflect.get(value, "type");
    if (isEpisodeType(type)) EPISODES[type](value, path);
    else episodeType(type, `${path}.type`);
  },
  fact: shape<Fact>({ id: text, at: moment, content: text, source: text, confidence: share, isVerified: flag }),
  definition: shape<Definition>({
    term: text,
    meaning: text,
    context: optional(text),
    examples: optional(texts),
    references: optional(texts),
  }),
  preference: shape<Preference>({ key: text, value: text }),
  knowledge: shape<KnowledgeEntry>({ id: text, topic: text, content: text }),
  observation: shape<Observation>({ id: text, at: moment, source: text, content: text, ttlMs: amount }),
  retrieval: shape<Retrieval>({ id: text, at: moment, query: text, source: text, content: text, relevance: share }),
  citation: shape<Citation>({ id: text, source: text, quote: text }),
  measurement: shape<Measurement>({ at: moment, name: text, value: moment, unit: text }),
  planStep: shape<PlanStep>({
    id: text,
    description: text,
    status: oneOf({ pending: true, "in-progress": true, done: true, failed: true, skipped: true }),
    dependsOn: texts,
    durationMs: optional(amount),
  }),
  change: shape<PlannedChange>({
    path: text,
    type: oneOf({ create: true, modify: true, delete: true }),
    description: text,
    status: oneOf({ planned: true, applied: true, reverted: true }),
    before: optional(text),
    after: optional(text),
  }),
  hypothesis: shape<Hypothesis>({
    id: text,
    statement: text,
    status: oneOf({ untested: true, confirmed: true, refuted: true, inconclusive: true }),
    evidence: texts,
    confidence: optional(share),
  }),
  draft: shape<Draft>({
    id: text,
    title: text,
    content: text,
    version: optional(amount),
    earlier: optional(listOf(shape<DraftVersion>({ version: amount, content: text }))),
  }),
} as const satisfies Record<string, Check>;
