import type { Phase, PriorityName } from "./layered-state.ts";

export interface MemoryLayer {
  /** Values that the work needs at hand by name, shown with short-term memory until they are changed or forgotten. @default none */
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
  /** After so long it is gone. @default 300_000 when it is made */
  readonly ttlMs: number;
}

/** What happened, was decided or was reached. */
export type Episode = {
  readonly id: string;
  readonly at: number;
  readonly content: string;
  /** Ids of the messages or episodes that it stands for. @default none */
  readonly condensedFrom?: readonly string[];
  /** Tokens of the content, as its writer counted them. @default unknown */
  readonly tokenCount?: number;
} & (
  | { readonly type: "summary" }
  | {
      readonly type: "decision";
      readonly reason?: string;
      /** What was considered and not chosen. @default none */
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
  /** Where it is from: a message, a file, a person. */
  readonly source: string;
  /** From 0 to 1. */
  readonly confidence: number;
  readonly isVerified: boolean;
}

export interface Definition {
  readonly term: string;
  readonly meaning: string;
  /** Where the term means this, such as a part of the code or a field. @default everywhere */
  readonly context?: string;
  /** @default none */
  readonly examples?: readonly string[];
  /** Where more is said: files, pages, messages. @default none */
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

/** What each list of procedural memory holds. Entries that are only a text stay valid: all structure is optional. */
export interface ProcedureKinds {
  readonly skills: Skill;
  readonly templates: Template;
  readonly checklists: Checklist;
  readonly procedures: PhasedProcedure;
}

export type ProceduralMemory = {
  readonly [Kind in keyof ProcedureKinds]: readonly ProcedureKinds[Kind][];
};

/** What every entry of procedural memory has. */
export interface Procedure {
  readonly id: string;
  readonly name: string;
  /** What it says; may be empty where steps or items say all. */
  readonly content: string;
}

/** Something that the agent knows how to do. */
export interface Skill extends Procedure {
  /** What it is for and when to use it; compared with the goal instead of the content. @default the content is compared */
  readonly description?: string;
  /** In the order in which they are done. @default none */
  readonly steps?: readonly string[];
  /** Names of the tools that it needs. @default none */
  readonly tools?: readonly string[];
  /** The file that it is from; other files that it speaks of lie beside it. @default none */
  readonly source?: string;
}

/** A text with places to fill in: `{{name}}`. `renderTemplate` fills them. */
export interface Template extends Procedure {
  /** The places that are filled in; any others are left as they are. @default every place of the content */
  readonly variables?: readonly TemplateVariable[];
}

export interface TemplateVariable {
  readonly name: string;
  readonly description?: string;
  /** What stands there where no value is given. @default none: a value must be given */
  readonly default?: string;
}

export interface Checklist extends Procedure {
  /** @default none */
  readonly items?: readonly ChecklistItem[];
}

export interface ChecklistItem {
  /** Different from those of the other items. */
  readonly id: string;
  readonly text: string;
  readonly isDone: boolean;
}

/** How something is done, in some phases or in all. */
export interface PhasedProcedure extends Procedure {
  /** It is shown in these phases only. @default all phases */
  readonly phases?: readonly Phase[];
}
