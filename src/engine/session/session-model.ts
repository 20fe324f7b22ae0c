import { assert, assertNumber, assertObject } from "../../core/assert.ts";
import type { CondenseDefaults } from "../../core/models/condense-defaults.ts";
import type { ModelEntry } from "../../core/models/model-entry.ts";
import { condenseDefaults, isEntry, isUnknownModel, type ModelRegistry } from "../../core/models/registry.ts";
import { type PricesAt, relativePrices } from "../../core/policy/rent.ts";
import { DEFAULT_RESERVED_TOKENS } from "../../core/tokens/budget.ts";

/** The model of a conversation, and settings that replace the registry's. */
export interface ModelChoice {
  /** An id that the registry knows, or an entry of your own. */
  readonly model: string | ModelEntry;
  /** The window, in tokens. @default the model's own */
  readonly contextWindow?: number | undefined;
  /** The most tokens that a reply may take. @default 8_192, and no more than a quarter of the window */
  readonly maxTokens?: number | undefined;
  /** How long an unused prompt cache lives. @default the model's own */
  readonly cacheTtlMs?: number | undefined;
}

/** A `ModelChoice` resolved against the registry, with all defaults filled in. */
export interface SessionModel {
  readonly id: string;
  readonly contextWindow: number;
  /** Whether the model is unknown and no window was passed: `contextWindow` is then that of most models. */
  readonly isWindowGuessed: boolean;
  readonly maxTokens: number;
  readonly inputLimitTokens: number | undefined;
  readonly tokenRatio: number;
  readonly condense: CondenseDefaults;
  /** Undefined where the prices are not known, or the model is free. */
  readonly prices: PricesAt | undefined;
  /** How long an unused prompt cache lives; 0 where there is none, or its lifetime is not known. */
  readonly cacheTtlMs: number;
  /** The model's entry in the registry, or the one that was passed. */
  readonly entry: ModelEntry;
}

const MODEL = 'a model id such as "claude-sonnet-4-6", or a model entry';
const MAX_REPLY_SHARE = 0.25;

export function resolveModel(choice: ModelChoice, registry: ModelRegistry): SessionModel {
  assertObject("choice", choice, '{ model: "claude-haiku-4-5" }');
  const { model } = choice;
  const isNamed = typeof model === "string" && model !== "";
  assert(isNamed || (typeof model === "object" && isEntry(model)), "model", model, MODEL);
  const entry = isEntry(model) ? model : registry.find(model);
  const contextWindow = choice.contextWindow ?? entry.contextWindow;
  assertNumber("contextWindow", contextWindow, 1);
  const maxTokens = choice.maxTokens ?? Math.min(DEFAULT_RESERVED_TOKENS, Math.floor(contextWindow * MAX_REPLY_SHARE));
  assertNumber("maxTokens", maxTokens, 0);
  const cacheTtlMs = choice.cacheTtlMs ?? entry.cacheTtlMs;
  assertNumber("cacheTtlMs", cacheTtlMs, 0);
  return {
    id: isEntry(model) ? model.id : model,
    contextWindow,
    isWindowGuessed: choice.contextWindow === undefined && isUnknownModel(entry),
    maxTokens,
    inputLimitTokens: entry.inputLimitTokens,
    tokenRatio: entry.tokenRatio ?? 1,
    condense: condenseDefaults(entry),
    prices: relativePrices(entry),
    cacheTtlMs,
    entry,
  };
}
