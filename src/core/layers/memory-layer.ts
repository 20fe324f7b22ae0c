import type { Phase, PriorityName } from "./layered-state.ts";

export interface MemoryLayer {
  /** Named values that the work needs, shown with short-term memory until they are changed or removed. @default none */
  readonly workingVariables?: Readonly<Record<string, VariableValue>>;
  readonly shortTerm: readonly ShortTermEntry[];
  readonly episodic: readonly Episode[];
  readonly semantic: SemanticMemory;
  readonly procedural: ProceduralMemory;
}

export type VariableValue = string | number | boolean;

export interface ShortTermEntry {
  readonly id: string;
  readonly at: number;
  readonly content: string;
  /** How long the entry lives. @default 300_000 when it is created */
  readonly ttlMs: number;
}

/** An event of the past: a summary, a decision or a milestone. */
export type Episode = {
  readonly id: string;
  readonly at: number;
  readonly content: string;
  /** Ids of the messages or episodes that it summarizes. @default none */
  readonly condensedFrom?: readonly string[];
  /** Tokens of the content, as its writer counted them. @default unknown */
  readonly tokenCount?: number;
} & (
  | { readonly type: "summary" }
  | {
      readonly type: "decision";
      readonly reason?: string;
      /** The options that were not chosen. @default none */
      readonly alternatives?: readonly string[];
    }
  | { readonly type: "milestone"; readonly importance: PriorityName }
);

export interface SemanticMemory {
  readonly facts: readonly Fact[];
  readonly definitions: readonly Definition[];
  readonly preferences: readonly Preference[];
  readonly projectKnowledge: readonly KnowledgeEntry[];
}

export interface Fact {
  readonly id: string;
  readonly at: number;
  readonly content: string;
  /** Its source: a message, a file, a person. */
  readonly source: string;
  /** From 0 to 1. */
  readonly confidence: number;
  readonly isVerified: boolean;
}

export interface Definition {
  readonly term: string;
  readonly meaning: string;
  /** Where the term has this meaning, such as a part of the code or a field. @default everywhere */
  readonly context?: string;
  /** @default none */
  readonly examples?: readonly string[];
  /** Files, pages or messages with more about it. @default none */
  readonly references?: readonly string[];
}

export interface Preference {
  readonly key: string;
  readonly value: string;
}

export interface KnowledgeEntry {
  readonly id: string;
  readonly topic: string;
  readonly content: string;
}

/** The types of entries in the lists of procedural memory. All structure is optional: an entry may be only a text. */
export interface ProcedureKinds {
  readonly skills: Skill;
  readonly templates: Template;
  readonly checklists: Checklist;
  readonly procedures: PhasedProcedure;
}

export type ProceduralMemory = {
  readonly [Kind in keyof ProcedureKinds]: readonly ProcedureKinds[Kind][];
};

/** The fields of every entry of procedural memory. */
export interface Procedure {
  readonly id: string;
  readonly name: string;
  /** Its text; may be empty where it has steps or items. */
  readonly content: string;
}

/** Something that the agent knows how to do. */
export interface Skill extends Procedure {
  /** Its purpose and when to use it; compared with the goal in place of the content. @default the content is compared */
  readonly description?: string;
  /** In the order in which they are done. @default none */
  readonly steps?: readonly string[];
  /** Names of the tools that it needs. @default none */
  readonly tools?: readonly string[];
  /** Its file; other files that it mentions are in the same folder. @default none */
  readonly source?: string;
}

/** A text with placeholders such as `{{name}}`, which `renderTemplate` replaces. */
export interface Template extends Procedure {
  /** The placeholders that are replaced; others are left as they are. @default every placeholder of the content */
  readonly variables?: readonly TemplateVariable[];
}

export interface TemplateVariable {
  readonly name: string;
  readonly description?: string;
  /** The value where none is given. @default none: a value must be given */
  readonly default?: string;
}

export interface Checklist extends Procedure {
  /** @default none */
  readonly items?: readonly ChecklistItem[];
}

export interface ChecklistItem {
  /** Unique in its checklist. */
  readonly id: string;
  readonly text: string;
  readonly isDone: boolean;
}

/** How something is done, in some phases or in all. */
export interface PhasedProcedure extends Procedure {
  /** The phases in which it is shown. @default all phases */
  readonly phases?: readonly Phase[];
}
