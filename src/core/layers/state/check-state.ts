import { assert } from "../../assert.ts";
import { readDomain } from "../../text/allowed-domains.ts";
import type {
  AgentRole,
  AuditRequirements,
  Environment,
  EvidenceLayer,
  LayeredState,
  MemoryLayer,
  Permission,
  ProceduralMemory,
  ResourceUse,
  RuntimeLayer,
  SemanticMemory,
  SystemConstraints,
  SystemLayer,
  WorkBufferLayer,
} from "../layered-state.ts";
import type { CriterionResult } from "../task-layer.ts";
import {
  amount,
  byName,
  type Check,
  flag,
  listOf,
  oneOf,
  optional,
  scalar,
  shape,
  text,
  textOr,
  texts,
} from "./checks.ts";
import { ENTRY_CHECKS, PROCEDURE_CHECKS, phaseCheck } from "./entry-checks.ts";
import { taskCheck } from "./task-check.ts";

/** The schema version that this version of the package writes, and the newest that it reads. */
export const STATE_SCHEMA_VERSION = 1;

const permissions = listOf(
  oneOf<Permission>({ read: true, write: true, execute: true, delete: true, admin: true, deploy: true }),
);

const domain: Check = (value, path) =>
  assert(
    typeof value === "string" && readDomain(value) !== undefined,
    path,
    value,
    'a host name such as "example.com", without scheme, port, path or wildcard',
  );

const constraintsCheck = shape<SystemConstraints>({
  maxExecutionTimeMs: amount,
  maxToolCalls: amount,
  maxFileBytes: amount,
  maxCostUsd: optional(amount),
  forbiddenPaths: texts,
  allowedDomains: optional(listOf(domain)),
  approvalRequired: permissions,
});

const system = shape<SystemLayer>({
  role: textOr(shape<AgentRole>({ name: text, description: text, capabilities: texts, limitations: texts })),
  policies: listOf(ENTRY_CHECKS.policy),
  constraints: constraintsCheck,
  audit: shape<AuditRequirements>({ isEnabled: flag, logDecisions: optional(flag), retentionDays: amount }),
});

const runtime = shape<RuntimeLayer>({
  phase: phaseCheck,
  permissions,
  environment: oneOf<Environment>({ dev: true, staging: true, prod: true }),
  history: listOf(ENTRY_CHECKS.step),
  failures: listOf(ENTRY_CHECKS.failure),
  resources: shape<ResourceUse>({
    toolCalls: amount,
    modelCalls: amount,
    inputTokens: amount,
    outputTokens: amount,
    cached: optional(amount),
    costUsd: amount,
    elapsedMs: amount,
  }),
  criteria: optional(
    listOf(
      shape<CriterionResult>({
        description: text,
        status: oneOf({ met: true, unmet: true, unchecked: true }),
        reason: optional(text),
      }),
    ),
  ),
});

const memory = shape<MemoryLayer>({
  workingVariables: optional(byName(scalar)),
  shortTerm: listOf(ENTRY_CHECKS.shortTermEntry),
  episodic: listOf(ENTRY_CHECKS.episode),
  semantic: shape<SemanticMemory>({
    facts: listOf(ENTRY_CHECKS.fact),
    definitions: listOf(ENTRY_CHECKS.definition),
    preferences: listOf(ENTRY_CHECKS.preference),
    projectKnowledge: listOf(ENTRY_CHECKS.knowledge),
  }),
  procedural: shape<ProceduralMemory>({
    skills: listOf(PROCEDURE_CHECKS.skills),
    templates: listOf(PROCEDURE_CHECKS.templates),
    checklists: listOf(PROCEDURE_CHECKS.checklists),
    procedures: listOf(PROCEDURE_CHECKS.procedures),
  }),
});

const evidence = shape<EvidenceLayer>({
  observations: listOf(ENTRY_CHECKS.observation),
  retrievals: listOf(ENTRY_CHECKS.retrieval),
  citations: listOf(ENTRY_CHECKS.citation),
  measurements: listOf(ENTRY_CHECKS.measurement),
});

const workBuffer = shape<WorkBufferLayer>({
  plan: listOf(ENTRY_CHECKS.planStep),
  changes: listOf(ENTRY_CHECKS.change),
  hypotheses: listOf(ENTRY_CHECKS.hypothesis),
  drafts: listOf(ENTRY_CHECKS.draft),
  scratchpad: text,
});

const schemaVersion: Check = (value, path) =>
  assert(value === STATE_SCHEMA_VERSION, path, value, `${STATE_SCHEMA_VERSION}`);

const layeredState = shape<LayeredState>({
  schemaVersion,
  l0_system: system,
  l1_task: taskCheck,
  l2_runtime: runtime,
  l3_memory: memory,
  l4_evidence: evidence,
  l5_workBuffer: workBuffer,
});

// States are immutable, so that each needs to be checked only once.
const checked = new WeakSet<object>();

/**
 * Throws "invalid-argument" unless `value` is a valid state; the message names the invalid field. Unknown fields are allowed.
 * @example
 * ```ts
 * import { checkState, createInitialState } from "palimpsest/agent";
 * const value: unknown = JSON.parse(JSON.stringify(createInitialState("Fix the login")));
 * checkState(value);
 * console.log(value.l1_task.goal); // Fix the login
 * ```
 */
export function checkState(value: unknown): asserts value is LayeredState {
  if (typeof value === "object" && value !== null && checked.has(value)) return;
  layeredState(value, "state");
  if (typeof value === "object" && value !== null) checked.add(value);
}
