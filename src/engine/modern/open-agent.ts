import { ContextBuilder } from "../../core/layers/context/context-builder.ts";
import type { LayeredState, Phase } from "../../core/layers/layered-state.ts";
import { createInitialState } from "../../core/layers/state/initial-state.ts";
import { readState, serializeState } from "../../core/layers/state/serialize-state.ts";
import { mayEnterPhase, setPhase } from "../../core/layers/updates/phases.ts";
import { createModelRegistry } from "../../core/models/registry.ts";
import type { ToolDefinition } from "../../core/tools/tool-definition.ts";
import { createEngine } from "../create-engine.ts";
import type { Engine } from "../engine.ts";
import { handlerModel } from "../model/handler-model.ts";
import type { Session } from "../session/session.ts";
import { resolveModel } from "../session/session-model.ts";
import { type AuditLog, type AuditRecord, createAuditLog } from "./audit-log.ts";
import { DEFAULT_LIMITS, type LoopLimits, type ModernContextEngineOptions } from "./modern-options.ts";
import { OWN_TOOLS } from "./own-tools.ts";

/** The parts of an agent that its loop works with. */
export interface Agent {
  readonly options: ModernContextEngineOptions;
  readonly engine: Engine;
  readonly session: Session;
  readonly builder: ContextBuilder;
  readonly audit: AuditLog;
  /** The agent's own tools and the engine's. */
  readonly tools: readonly ToolDefinition[];
  readonly limits: LoopLimits;
  /** The reply's allowance. */
  readonly maxOutputTokens: number;
  readonly modelId: string;
  readonly contextWindow: number;
  readonly now: () => number;
  state(): LayeredState;
  update(change: (state: LayeredState) => LayeredState): void;
  /** Does nothing where the agent is in that phase, or cannot go there from where it is. */
  enterPhase(phase: Phase, reason: string): void;
  /** Puts back what a checkpoint kept; undefined is the state as it began. */
  restoreState(saved: unknown): void;
  /** What a checkpoint keeps beside log and files. */
  savedState(): unknown;
}

/** An agent condenses at three quarters of its window, to half of it. */
const THRESHOLD_PERCENT = 75;
const DEFAULT_CONTEXT_SHARE = 0.25;

/** Opens the session of an agent, and the state that was kept for it last. */
export async function openAgent(options: ModernContextEngineOptions): Promise<Agent> {
  const { model, store, condenser, configuration, registry, countTokens, hooks, telemetry } = options;
  const { sessionId = "task", workspace, now = Date.now, contextShare = DEFAULT_CONTEXT_SHARE, similarity } = options;
  const known = handlerModel(model);
  const modelId = known.id === "" ? "unknown" : known.id;
  const choice = {
    model: modelId,
    contextWindow: options.contextWindow ?? known.contextWindow,
    maxTokens: options.maxTokens,
  };
  const resolved = resolveModel(choice, registry ?? createModelRegistry());
  const engine = createEngine({
    ...choice,
    store,
    condenser,
    registry,
    countTokens,
    hooks,
    telemetry,
    now,
    configuration: { ...configuration, thresholds: { global: THRESHOLD_PERCENT, ...configuration?.thresholds } },
  });
  const session = await engine.session(sessionId, { workspace });
  const builder = new ContextBuilder({
    totalTokens: Math.floor(contextShare * resolved.contextWindow),
    modelId,
    now,
    countTokens,
    similarity,
  });
  const first = createInitialState(options.task, options.initialState);
  const saved = store === undefined ? undefined : (await session.checkpoints({ limit: 1 }))[0]?.state;
  const kept = readSaved(saved);
  let state = kept?.state ?? first;
  const audit = createAuditLog({
    ...state.l0_system.audit,
    now,
    onRecord: options.onAudit,
    records: kept?.audit ?? [],
  });
  return {
    options,
    engine,
    session,
    builder,
    audit,
    tools: [...options.tools, ...OWN_TOOLS],
    limits: { ...DEFAULT_LIMITS, ...options.limits },
    maxOutputTokens: resolved.maxTokens,
    modelId,
    contextWindow: resolved.contextWindow,
    now,
    state: () => state,
    update: (change) => {
      state = change(state);
    },
    enterPhase: (phase, reason) => {
      const from = state.l2_runtime.phase;
      if (from === phase || !mayEnterPhase(from, phase)) return;
      state = setPhase(state, phase);
      audit.add({ type: "phase", at: now(), from, to: phase, reason });
    },
    restoreState: (checkpointed) => {
      state = readSaved(checkpointed)?.state ?? first;
    },
    savedState: () => ({ layers: serializeState(state), audit: audit.records().slice(-MAX_SAVED_AUDIT) }),
  };
}

/** Each checkpoint holds them; the whole log of a long life would be too much. */
const MAX_SAVED_AUDIT = 1_000;

function readSaved(
  saved: unknown,
): { readonly state: LayeredState; readonly audit: readonly AuditRecord[] } | undefined {
  if (typeof saved !== "object" || saved === null) return undefined;
  const layers: unknown = Reflect.get(saved, "layers");
  const audit: unknown = Reflect.get(saved, "audit");
  // A checkpoint that someone else made of this session has another state, or none.
  if (typeof layers !== "string") return undefined;
  return { state: readState(layers), audit: Array.isArray(audit) ? audit : [] };
}
