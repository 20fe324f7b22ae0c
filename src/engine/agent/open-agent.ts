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
  /** The window as it is assumed now, and what depends on it. */
  window(): WindowParts;
  /** Sets the window for good, as a provider has named its limit. It never grows. */
  learnWindow(contextWindow: number): void;
  /** Assumes a smaller window until the next task. */
  shrinkWindow(contextWindow: number): void;
  /** Undoes `shrinkWindow`. */
  resetWindow(): void;
  state(): LayeredState;
  update(change: (state: LayeredState) => LayeredState): void;
  /** Enters a phase. Returns false, and does nothing, where the present phase does not allow it. */
  enterPhase(phase: Phase, reason: string): boolean;
  /** Restores the state of a checkpoint, or the initial state for undefined. Used resources stay counted. */
  restoreState(saved: unknown): void;
  /** The state that a checkpoint saves. */
  savedState(): unknown;
}

/** A window, and what depends on its size. */
export interface WindowParts {
  readonly contextWindow: number;
  /** The most tokens that a reply may take. */
  readonly maxOutputTokens: number;
  readonly builder: ContextBuilder;
}

/** An agent condenses at three quarters of its window, to half of it. */
const THRESHOLD_PERCENT = 75;

/** Opens the session of an agent, and the state that was saved for it last. */
export async function openAgent(options: ModernContextEngineOptions): Promise<Agent> {
  const { model, store, condenser, configuration, countTokens, hooks, telemetry } = options;
  const { sessionId = "task", workspace, now = Date.now, registry = createModelRegistry() } = options;
  const described = handlerModel(model);
  const modelId = described.id === "" ? "unknown" : described.id;
  const choice = {
    model: modelId,
    // A registry that the user passed has priority over the handler's own window.
    contextWindow: options.contextWindow ?? (options.registry === undefined ? described.contextWindow : undefined),
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
  const saved = readSavedState(store === undefined ? undefined : (await session.checkpoints({ limit: 1 }))[0]?.state);
  let state = saved?.state ?? first;
  const audit = createAuditLog({
    ...state.l0_system.audit,
    ...{ now, onRecord: options.onAudit, records: saved?.audit ?? [] },
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

/** The most audit records in a checkpoint. */
const MAX_SAVED_AUDIT = 1_000;

function saveState(state: LayeredState, audit: readonly AuditRecord[]): unknown {
  return { layers: serializeState(state), audit: audit.slice(-MAX_SAVED_AUDIT) };
}

/** Reads what {@link saveState} returned; undefined for a checkpoint with no state or another program's. */
function readSavedState(
  saved: unknown,
): { readonly state: LayeredState; readonly audit: readonly AuditRecord[] } | undefined {
  if (typeof saved !== "object" || saved === null) return undefined;
  const layers: unknown = Reflect.get(saved, "layers");
  const audit: unknown = Reflect.get(saved, "audit");
  if (typeof layers !== "string") return undefined;
  return { state: readState(layers), audit: Array.isArray(audit) ? audit : [] };
}
