import type { ContextFormat } from "../../core/layers/context/context-builder.ts";
import type { LayeredState, Permission } from "../../core/layers/layered-state.ts";
import type { Similarity } from "../../core/layers/select/relevance.ts";
import type { InitialStateOptions } from "../../core/layers/state/initial-state.ts";
import type { TaskDescription } from "../../core/layers/task-description.ts";
import type { ModelHandler } from "../../core/ports/model-handler.ts";
import type { ToolCall, ToolExecutor } from "../../core/ports/tool-executor.ts";
import type { WorkspaceFiles } from "../../core/ports/workspace.ts";
import type { ProjectToolsOptions } from "../../core/tools/project-tools.ts";
import type { ToolDefinition } from "../../core/tools/tool-definition.ts";
import type { EngineOptions } from "../engine.ts";
import type { AuditRecord } from "./audit-log.ts";

/** A check of one policy. `check` returns what is wrong with a call; undefined where nothing is. */
export interface PolicyCheck {
  /** The id of the policy in the state. A breach of a hard policy refuses the call; of a soft one, it only warns. */
  readonly policyId: string;
  check(call: ToolCall, state: LayeredState): string | undefined;
}

/** A call that a person must approve. */
export interface ApprovalRequest {
  readonly call: ToolCall;
  /** The permissions of its tool that need approval. */
  readonly permissions: readonly Permission[];
}

/** The limits of one task, besides the constraints in the state. */
export interface LoopLimits {
  /** The most replies of the model. @default 200 */
  readonly maxSteps: number;
  /** How long one reply may take. @default 300_000 */
  readonly modelTimeoutMs: number;
  /** How long one tool may take; then its call fails, and the agent goes on. @default 120_000 */
  readonly toolTimeoutMs: number;
  /** How long an approval may take; then the call counts as not approved. @default 600_000 */
  readonly approvalTimeoutMs: number;
  /** How long the function of a success criterion may take; then the criterion is unmet. @default 120_000 */
  readonly validatorTimeoutMs: number;
  /** How often the model is told that a success criterion is unmet and goes on; 0 ends the task at once. @default 2 */
  readonly maxCriteriaRounds: number;
  /** How often the model is told that its last reply is not in the output format and replies again. @default 1 */
  readonly maxOutputRetries: number;
}

export type Sleep = (ms: number, signal: AbortSignal | undefined) => Promise<void>;

export interface ModernContextEngineOptions
  extends Partial<
    Pick<
      EngineOptions,
      | "store"
      | "condenser"
      | "configuration"
      | "contextWindow"
      | "maxTokens"
      | "registry"
      | "countTokens"
      | "hooks"
      | "telemetry"
    >
  > {
  readonly model: ModelHandler;
  /** The agent's task. Ignored where the session has a saved state. */
  readonly task: string | TaskDescription;
  /** The initial state. @default the defaults of createInitialState */
  readonly initialState?: InitialStateOptions | undefined;
  readonly tools: readonly ToolDefinition[];
  readonly executor: ToolExecutor;
  /** @default "task" */
  readonly sessionId?: string | undefined;
  /** The files that checkpoints save. @default none */
  readonly workspace?: WorkspaceFiles | undefined;
  /** How tools are chosen. @default those of the phase, and tools that no phase lists */
  readonly projection?: Omit<ProjectToolsOptions, "previous" | "keepTools" | "countTokens"> | undefined;
  /** Checks beside the built-in one for secrets. @default none */
  readonly policyChecks?: readonly PolicyCheck[] | undefined;
  /** Called where the state's constraints demand an approval. An error or a timeout does not approve. @default nothing is approved */
  readonly approve?: ((request: ApprovalRequest) => boolean | Promise<boolean>) | undefined;
  readonly limits?: Partial<LoopLimits> | undefined;
  /** The share of the window that the layered context may take. @default 0.25 */
  readonly contextShare?: number | undefined;
  /** How the layered context is written. @default "xml" */
  readonly contextFormat?: ContextFormat | undefined;
  /** The model that shortens texts of the state which have no room in the context. @default none: their most telling lines are quoted */
  readonly contextModel?: ModelHandler | undefined;
  /** Scores how similar texts are to the goal. @default by words */
  readonly similarity?: Similarity | undefined;
  /** Called with each audit record as it is made. */
  readonly onAudit?: ((record: AuditRecord) => void) | undefined;
  /** The clock, in milliseconds since the epoch. @default Date.now */
  readonly now?: (() => number) | undefined;
  /** Waits between retries. @default a timer */
  readonly sleep?: Sleep | undefined;
}

export const DEFAULT_LIMITS: LoopLimits = {
  maxSteps: 200,
  modelTimeoutMs: 300_000,
  toolTimeoutMs: 120_000,
  approvalTimeoutMs: 600_000,
  validatorTimeoutMs: 120_000,
  maxCriteriaRounds: 2,
  maxOutputRetries: 1,
};
