/** The task of an agent (L1). Plain data, like all of the state. */
export interface TaskLayer {
  readonly goal: string;
  readonly successCriteria: readonly (string | SuccessCriterion)[];
  readonly outputFormat?: string | OutputFormat;
  /** Rules in words, or with limits beside them. */
  readonly constraints: readonly string[] | TaskConstraints;
  readonly metadata: TaskMetadata;
}

/** Data about a task besides its content; fields with other names must be texts. */
export interface TaskMetadata {
  /** The id of an issue or a ticket. */
  readonly id?: string;
  readonly author?: string;
  /** The origin of the task. */
  readonly source?: string;
  readonly priority?: string;
  readonly tags?: string | readonly string[];
  /** Milliseconds since the epoch, or a date in words. */
  readonly createdAt?: string | number;
  readonly deadlineAt?: string | number;
  readonly [name: string]: string | number | readonly string[] | undefined;
}

/** Limits of a task, and demands on its result. The limits of the system layer apply, too: the lower one counts. */
export interface TaskConstraints {
  /** The time limit for one input. @default undefined: the system's limit */
  readonly timeMs?: number;
  /** The cost limit for one input. @default undefined: the system's limit */
  readonly budgetUsd?: number;
  /** Shown to the model. */
  readonly quality?: string;
  /** Shown to the model. */
  readonly rules?: readonly string[];
}

/** The required format of the last reply. */
export interface OutputFormat {
  readonly type: "text" | "markdown" | "json";
  /** A JSON schema for the value where the type is "json", else for the text. @default undefined: any */
  readonly schema?: Readonly<Record<string, unknown>>;
  /** Shown to the model: texts, or values that are shown as JSON. */
  readonly examples?: readonly unknown[];
}

/** A condition that must hold when the task is done. */
export interface SuccessCriterion {
  readonly description: string;
  /** Whether it can be decided by a measurement, and not only by judgement. */
  readonly measurable: boolean;
  /** Decides whether it is met; `"function"` stands for a function of the task's description. @default undefined: it is not checked */
  readonly validator?: ToolValidator | "function";
}

/**
 * A tool call that decides whether a criterion is met. It is not met where the call fails, or where its result is `false` or JSON with
 * `isMet: false`; any other result means that it is met.
 */
export interface ToolValidator {
  readonly tool: string;
  readonly input: unknown;
}

/** The result of checking one criterion. */
export interface CriterionResult {
  readonly description: string;
  /** `unchecked`: it has no validator. */
  readonly status: "met" | "unmet" | "unchecked";
  readonly reason?: string;
}

/** The constraints of a task as an object: the task may have only a list of rules. */
export function taskConstraints(constraints: TaskLayer["constraints"]): TaskConstraints {
  return isRules(constraints) ? { rules: constraints } : constraints;
}

function isRules(constraints: TaskLayer["constraints"]): constraints is readonly string[] {
  return Array.isArray(constraints);
}
