/** What an agent is to do (L1). Plain data, as all of the state. */
export interface TaskLayer {
  readonly goal: string;
  readonly successCriteria: readonly (string | SuccessCriterion)[];
  readonly outputFormat?: string | OutputFormat;
  /** Rules in words, or with limits beside them. */
  readonly constraints: readonly string[] | TaskConstraints;
  readonly metadata: TaskMetadata;
}

/** What is known about a task beside its content; names of one's own have texts. */
export interface TaskMetadata {
  /** Of an issue or a ticket. */
  readonly id?: string;
  readonly author?: string;
  /** Where the task is from. */
  readonly source?: string;
  readonly priority?: string;
  readonly tags?: string | readonly string[];
  /** Milliseconds since the epoch, or a date in words. */
  readonly createdAt?: string | number;
  readonly deadlineAt?: string | number;
  readonly [name: string]: string | number | readonly string[] | undefined;
}

/** What a task may take, and how good its result must be. The system's own limits hold as well: the lower one counts. */
export interface TaskConstraints {
  /** How long one input may take. @default undefined: as long as the system allows */
  readonly timeMs?: number;
  /** What one input may cost. @default undefined: what the system allows */
  readonly budgetUsd?: number;
  /** Shown to the model. */
  readonly quality?: string;
  /** Shown to the model. */
  readonly rules?: readonly string[];
}

/** What the last reply must be. */
export interface OutputFormat {
  readonly type: "text" | "markdown" | "json";
  /** A JSON schema: of the value where the type is "json", else of the text. @default undefined: any */
  readonly schema?: Readonly<Record<string, unknown>>;
  /** Shown to the model: texts, or values that are shown as JSON. */
  readonly examples?: readonly unknown[];
}

/** What must hold when the task is done. */
export interface SuccessCriterion {
  readonly description: string;
  /** Whether it can be decided by a measurement, and not only by judgement. */
  readonly measurable: boolean;
  /** Decides whether it is met. `"function"`: a function of the task's description does. @default undefined: nobody checks it */
  readonly validator?: ToolValidator | "function";
}

/**
 * A call that decides. An error means that the criterion is not met, and so does a result that is JSON with `isMet: false`, or `false`; any other result means
 * that it is.
 */
export interface ToolValidator {
  readonly tool: string;
  readonly input: unknown;
}

/** What the check of one criterion found. */
export interface CriterionResult {
  readonly description: string;
  /** Unchecked: it has no validator. */
  readonly status: "met" | "unmet" | "unchecked";
  readonly reason?: string;
}

/** The constraints of a task in one form: rules in words may stand alone. */
export function taskConstraints(constraints: TaskLayer["constraints"]): TaskConstraints {
  return isRules(constraints) ? { rules: constraints } : constraints;
}

function isRules(constraints: TaskLayer["constraints"]): constraints is readonly string[] {
  return Array.isArray(constraints);
}
