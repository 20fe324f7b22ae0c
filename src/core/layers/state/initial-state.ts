import { assert, assertArray, assertObject } from "../../assert.ts";
import type {
  AgentRole,
  AuditRequirements,
  Environment,
  LayeredState,
  Permission,
  Policy,
  SystemConstraints,
} from "../layered-state.ts";
import { addLoadedMemory, type LoadedMemory } from "../load/loaded-memory.ts";
import { storedCriterion, type TaskDescription } from "../task-description.ts";
import { checkState, STATE_SCHEMA_VERSION } from "./check-state.ts";
import {
  DEFAULT_AUDIT,
  DEFAULT_CONSTRAINTS,
  DEFAULT_PERMISSIONS,
  DEFAULT_POLICIES,
  DEFAULT_ROLE,
} from "./default-system.ts";

export interface InitialStateOptions {
  /** @default a careful software agent */
  readonly role?: string | AgentRole;
  /** Replace the four default policies: no secrets, privacy, validated input, audit log. @default DEFAULT_POLICIES */
  readonly policies?: readonly Policy[];
  /** Limits that differ from the defaults. @default DEFAULT_CONSTRAINTS */
  readonly constraints?: Partial<SystemConstraints>;
  /** @default { isEnabled: true, logDecisions: true, retentionDays: 90 } */
  readonly audit?: Partial<AuditRequirements>;
  /** @default ["read", "write", "execute"] */
  readonly permissions?: readonly Permission[];
  /** @default "dev" */
  readonly environment?: Environment;
  /** What it knows from the start, for example from `loadMemory`. @default nothing */
  readonly memory?: LoadedMemory;
}

/**
 * The state of an agent that has not begun: the task, the system's defaults, and nothing remembered.
 * @example
 * ```ts
 * import { createInitialState } from "palimpsest/agent";
 * const state = createInitialState({ goal: "Fix the login", successCriteria: ["All tests pass"] }, { permissions: ["read"] });
 * console.log(state.l2_runtime.phase, state.l2_runtime.permissions); // initializing [ 'read' ]
 * ```
 */
export function createInitialState(task: string | TaskDescription, options: InitialStateOptions = {}): LayeredState {
  const described: TaskDescription = typeof task === "string" ? { goal: task } : task;
  assertObject("task", described);
  assertObject("options", options);
  const { goal } = described;
  if (described.successCriteria !== undefined) assertArray("task.successCriteria", described.successCriteria);
  assert(typeof goal === "string" && goal.trim() !== "", "task.goal", goal, "a text that says what is to be done");
  const state: LayeredState = {
    schemaVersion: STATE_SCHEMA_VERSION,
    l0_system: {
      role: options.role ?? DEFAULT_ROLE,
      policies: options.policies ?? DEFAULT_POLICIES,
      constraints: { ...DEFAULT_CONSTRAINTS, ...options.constraints },
      audit: { ...DEFAULT_AUDIT, ...options.audit },
    },
    l1_task: {
      ...{ constraints: [], metadata: {}, ...described },
      successCriteria: described.successCriteria?.map(storedCriterion) ?? [],
    },
    l2_runtime: {
      phase: "initializing",
      permissions: options.permissions ?? DEFAULT_PERMISSIONS,
      environment: options.environment ?? "dev",
      history: [],
      failures: [],
      resources: { toolCalls: 0, modelCalls: 0, inputTokens: 0, outputTokens: 0, cached: 0, costUsd: 0, elapsedMs: 0 },
    },
    ...emptyKnowledge(),
  };
  const informed = options.memory === undefined ? state : addLoadedMemory(state, options.memory);
  checkState(informed);
  return informed;
}

function emptyKnowledge(): Pick<LayeredState, "l3_memory" | "l4_evidence" | "l5_workBuffer"> {
  return {
    l3_memory: {
      shortTerm: [],
      episodic: [],
      semantic: { facts: [], definitions: [], preferences: [], projectKnowledge: [] },
      procedural: { skills: [], templates: [], checklists: [], procedures: [] },
    },
    l4_evidence: { observations: [], retrievals: [], citations: [], measurements: [] },
    l5_workBuffer: { plan: [], changes: [], hypotheses: [], drafts: [], scratchpad: "" },
  };
}
