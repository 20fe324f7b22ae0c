/** What an agent is to do (L1). Plain data, as all of the state. */
export interface TaskLayer {
  readonly goal: string;
  readonly successCriteria: readonly (string | SuccessCriterion)[];
  readonly outputFormat?: string | OutputFormat;
  readonly constraints: readonly string[];
  readonly metadata: Readonly<Record<string, string>>;
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
