import type { ContextBuilder } from "../../core/layers/context/context-builder.ts";
import type { LayeredState, Phase } from "../../core/layers/layered-state.ts";
import { createInitialState } from "../../core/layers/state/initial-state.ts";
import { readState, serializeState } from "../../core/layers/state/serialize-state.ts";
import { mayEnterPhase, setPhase } from "../../core/layers/updates/phases.ts";
import { createModelRegistry, type ModelRegistry } from "../../core/models/registry.ts";
import type { ToolDefinition } from "../../core/tools/tool-definition.ts";
import { createEngine } from "../create-engine.ts";
import { handlerModel } from "../model/handler-model.ts";
import type { Session } from "../session/session.ts";
import { resolveModel } from "../session/session-model.ts";
import { createAgentWindow } from "./agent-window.ts";
import { type AuditLog, type AuditRecord, createAuditLog } from "./audit-log.ts";
import { type ContextShortener, createContextShortener } from "./context-shortener.ts";
import { DEFAULT_LIMITS, type LoopLimits, type ModernContextEngineOptions } from "./modern-options.ts";
import { OWN_TOOLS } from "./own-tools.ts";

/** The parts of an agent that its loop works with. */
export interface Agent {
  readonly options: ModernContextEngineOptions;
  readonly session: Session;
  readonly registry: ModelRegistry;
  readonly audit: AuditLog;
  /** Undefined where no model shortens texts of the state. */
  readonly shortener: ContextShortener | undefined;
  /** The agent's own tools and the engine's. */
  readonly tools: readonly ToolDefinition[];
  readonly limits: LoopLimits;
  readonly now: () => number;
  /** What fits the window as it is taken for now. */
  window(): WindowParts;
  /** A provider said how much it takes: from now on the window is no larger. */
  learnWindow(contextWindow: number): void;
  /** Takes the window for smaller until the next task. */
  shrinkWindow(contextWindow: number): void;
  /** Back to what is known of the window. */
  resetWindow(): void;
  state(): LayeredState;
  update(change: (state: LayeredState) => LayeredState): void;
  /** False, and nothing is done, where the agent cannot go there from where it is. */
  enterPhase(phase: Phase, reason: string): boolean;
  /** Puts back what a checkpoint kept; undefined is the state as it began. What was used since stays used. */
  restoreState(saved: unknown): void;
  /** What a checkpoint keeps beside log and files. */
  savedState(): unknown;
}

/** What follows from the size of a window. */
export interface WindowParts {
  readonly contextWindow: number;
  /** The reply's allowance. */
  readonly maxOutputTokens: number;
  readonly builder: ContextBuilder;
}

/** An agent condenses at three quarters of its window, to half of it. */
const THRESHOLD_PERCENT = 75;

/** Opens the session of an agent, and the state that was kept for it last. */
export async function openAgent(options: ModernContextEngineOptions): Promise<Agent> {
  const { model, store, condenser, configuration, countTokens, hooks, telemetry } = options;
  const { sessionId = "task", workspace, now = Date.now, registry = createModelRegistry() } = options;
  const known = handlerModel(model);
  const modelId = known.id === "" ? "unknown" : known.id;
  const choice = {
    model: modelId,
    // A registry of the user's own knows better than what the handler falls back to.
    contextWindow: options.contextWindow ?? (options.registry === undefined ? known.contextWindow : undefined),
    maxTokens: options.maxTokens,
  };
  const engine = createEngine({
    ...{ ...choice, store, condenser, registry, countTokens, hooks, telemetry, now },
    configuration: { ...configuration, thresholds: { global: THRESHOLD_PERCENT, ...configuration?.thresholds } },
  });
  const session = await engine.session(sessionId, { workspace });
  const shortener = createContextShortener(options.contextModel);
  const window = createAgentWindow(options, {
    ...{ session, now, shorten: shortener?.shorten },
    model: resolveModel(choice, registry),
  });
  const first = createInitialState(options.task, options.initialState);
  const kept = readSavedState(store === undefined ? undefined : (await session.checkpoints({ limit: 1 }))[0]?.state);
  let state = kept?.state ?? first;
  const audit = createAuditLog({
    ...state.l0_system.audit,
    ...{ now, onRecord: options.onAudit, records: kept?.audit ?? [] },
  });
  return {
    ...{ options, session, registry, audit, shortener, now, ...window },
    tools: [...options.tools, ...OWN_TOOLS],
    limits: { ...DEFAULT_LIMITS, ...options.limits },
    state: () => state,
    update: (change) => {
      state = change(state);
    },
    enterPhase: (phase, reason) => {
      const from = state.l2_runtime.phase;
      if (!mayEnterPhase(from, phase)) return false;
      if (from === phase) return true;
      state = setPhase(state, phase);
      audit.add({ type: "phase", at: now(), from, to: phase, reason });
      return true;
    },
    restoreState: (saved) => {
      const { resources } = state.l2_runtime;
      const restored = readSavedState(saved)?.state ?? first;
      state = { ...restored, l2_runtime: { ...restored.l2_runtime, resources } };
    },
    savedState: () => saveState(state, audit.records()),
  };
}

/** Each checkpoint holds them; the whole log of a long life would be too much. */
const MAX_SAVED_AUDIT = 1_000;

/** What a checkpoint keeps of an agent beside its log and files. */
function saveState(state: LayeredState, audit: readonly AuditRecord[]): unknown {
  return { layers: serializeState(state), audit: audit.slice(-MAX_SAVED_AUDIT) };
}

/** What {@link saveState} gave; undefined for a checkpoint that someone else made of the session, with another state or none. */
function readSavedState(
  saved: unknown,
): { readonly state: LayeredState; readonly audit: readonly AuditRecord[] } | undefined {
  if (typeof saved !== "object" || saved === null) return undefined;
  const layers: unknown = Reflect.get(saved, "layers");
  const audit: unknown = Reflect.get(saved, "audit");
  if (typeof layers !== "string") return undefined;
  return { state: readState(layers), audit: Array.isArray(audit) ? audit : [] };
}
