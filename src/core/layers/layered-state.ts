import type { MemoryLayer } from "./memory-layer.ts";
import type { CriterionResult, TaskLayer } from "./task-layer.ts";

export type * from "./memory-layer.ts";

/**
 * The state of an agent in six layers: its role and rules (L0), its task (L1), its progress (L2), its memory (L3), its observations
 * (L4) and its current work (L5). Plain JSON data; times are milliseconds since the epoch.
 */
export interface LayeredState {
  /** The version of this data's schema. */
  readonly schemaVersion: 1;
  readonly l0_system: SystemLayer;
  readonly l1_task: TaskLayer;
  readonly l2_runtime: RuntimeLayer;
  readonly l3_memory: MemoryLayer;
  readonly l4_evidence: EvidenceLayer;
  readonly l5_workBuffer: WorkBufferLayer;
}

export type PriorityName = "critical" | "high" | "medium" | "low" | "minimal";

export interface SystemLayer {
  readonly role: string | AgentRole;
  readonly policies: readonly Policy[];
  readonly constraints: SystemConstraints;
  readonly audit: AuditRequirements;
}

/** Who the agent is, what it can do and what it does not do. */
export interface AgentRole {
  readonly name: string;
  readonly description: string;
  readonly capabilities: readonly string[];
  readonly limitations: readonly string[];
}

export interface Policy {
  readonly id: string;
  readonly category: string;
  readonly rule: string;
  /** Higher comes first. */
  readonly priority: number;
  /** An action that breaks a hard policy is refused; for a soft one there is only a warning. */
  readonly enforcement: "hard" | "soft";
}

export interface SystemConstraints {
  readonly maxExecutionTimeMs: number;
  readonly maxToolCalls: number;
  readonly maxFileBytes: number;
  /** In USD. @default undefined: no limit */
  readonly maxCostUsd?: number;
  /** Paths that no tool may touch. */
  readonly forbiddenPaths: readonly string[];
  /** Host names, such as `example.com`: URLs of tool arguments may only lead there or below. @default undefined: anywhere */
  readonly allowedDomains?: readonly string[];
  /** Permissions whose use a person must approve. */
  readonly approvalRequired: readonly Permission[];
}

export interface AuditRequirements {
  readonly isEnabled: boolean;
  /** Whether the agent's decisions are recorded, not only its actions. @default true */
  readonly logDecisions?: boolean;
  readonly retentionDays: number;
}

export type Phase = "initializing" | "planning" | "executing" | "reflecting" | "verifying" | "completed" | "failed";

export type Permission = "read" | "write" | "execute" | "delete" | "admin" | "deploy";

export type Environment = "dev" | "staging" | "prod";

export interface RuntimeLayer {
  readonly phase: Phase;
  readonly permissions: readonly Permission[];
  readonly environment: Environment;
  readonly history: readonly ExecutionStep[];
  readonly failures: readonly Failure[];
  readonly resources: ResourceUse;
  /** The results of the last check of the success criteria, in their order. @default undefined: not checked yet */
  readonly criteria?: readonly CriterionResult[];
}

export interface ExecutionStep {
  readonly at: number;
  readonly action: string;
  readonly outcome: "success" | "failure";
  readonly durationMs: number;
  /** The length of the call's arguments as JSON. @default unknown */
  readonly inputCharacters?: number;
  /** The length of the call's result. @default unknown */
  readonly outputCharacters?: number;
  /** Problems that did not stop the call. @default none */
  readonly warnings?: readonly string[];
  /** How many calls of the same tool had failed in a row right before this one. @default 0 */
  readonly retries?: number;
}

export interface Failure {
  readonly id: string;
  readonly at: number;
  readonly error: string;
  readonly toolName?: string;
  readonly isResolved: boolean;
}

export interface ResourceUse {
  readonly toolCalls: number;
  readonly modelCalls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** The input tokens that the provider read from its cache. @default 0 */
  readonly cached?: number;
  readonly costUsd: number;
  readonly elapsedMs: number;
}

export interface EvidenceLayer {
  readonly observations: readonly Observation[];
  readonly retrievals: readonly Retrieval[];
  readonly citations: readonly Citation[];
  readonly measurements: readonly Measurement[];
}

export interface Observation {
  readonly id: string;
  readonly at: number;
  readonly source: string;
  readonly content: string;
  readonly ttlMs: number;
}

export interface Retrieval {
  readonly id: string;
  readonly at: number;
  readonly query: string;
  readonly source: string;
  readonly content: string;
  /** From 0 to 1. */
  readonly relevance: number;
}

export interface Citation {
  readonly id: string;
  readonly source: string;
  readonly quote: string;
}

export interface Measurement {
  readonly at: number;
  readonly name: string;
  readonly value: number;
  readonly unit: string;
}

export interface WorkBufferLayer {
  readonly plan: readonly PlanStep[];
  readonly changes: readonly PlannedChange[];
  readonly hypotheses: readonly Hypothesis[];
  readonly drafts: readonly Draft[];
  readonly scratchpad: string;
}

export interface PlanStep {
  readonly id: string;
  readonly description: string;
  readonly status: "pending" | "in-progress" | "done" | "failed" | "skipped";
  /** Ids of the steps that come before. */
  readonly dependsOn: readonly string[];
  /** How long it took. @default unknown */
  readonly durationMs?: number;
}

export interface PlannedChange {
  readonly path: string;
  readonly type: "create" | "modify" | "delete";
  readonly description: string;
  readonly status: "planned" | "applied" | "reverted";
  /** The old content, or the part of it that changes. @default unknown */
  readonly before?: string;
  /** The new content, or the part that changes. @default unknown */
  readonly after?: string;
}

export interface Hypothesis {
  readonly id: string;
  readonly statement: string;
  readonly status: "untested" | "confirmed" | "refuted" | "inconclusive";
  readonly evidence: readonly string[];
  /** From 0 to 1. @default unknown */
  readonly confidence?: number;
}

export interface Draft {
  readonly id: string;
  readonly title: string;
  readonly content: string;
  /** Raised by `putDraft` when the content changes. @default 1 */
  readonly version?: number;
  /** Its earlier contents, oldest first. @default none */
  readonly earlier?: readonly DraftVersion[];
}

export interface DraftVersion {
  readonly version: number;
  readonly content: string;
}
