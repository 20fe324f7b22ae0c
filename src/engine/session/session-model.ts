import { assert, assertNumber, assertObject } from "../../core/assert.ts";
import type { CondenseDefaults } from "../../core/models/condense-defaults.ts";
import type { ModelEntry } from "../../core/models/model-entry.ts";
import { condenseDefaults, isEntry, isUnknownModel, type ModelRegistry } from "../../core/models/registry.ts";
import { type PricesAt, relativePrices } from "../../core/policy/rent.ts";
import { DEFAULT_RESERVED_TOKENS } from "../../core/tokens/budget.ts";

/** Which model a conversation is for, and what it may use of it. */
export interface ModelChoice {
  /** An id that the registry knows, or an entry of your own. */
  readonly model: string | ModelEntry;
  /** @default the model's own */
  readonly contextWindow?: number | undefined;
  /** The reply's allowance. @default 8_192, and no more than a quarter of the window */
  readonly maxTokens?: number | undefined;
  /** How long an unused prompt cache lives. @default as the model is known for */
  readonly cacheTtlMs?: number | undefined;
}

/** A model with all its numbers in place. */
export interface SessionModel {
  readonly id: string;
  readonly contextWindow: number;
  /** Nobody has said what this model takes: its window is that of most models. */
  readonly isWindowGuessed: boolean;
  readonly maxTokens: number;
  readonly inputLimitTokens: number | undefined;
  readonly tokenRatio: number;
  readonly condense: CondenseDefaults;
  /** Undefined where they are not known, or nobody is paid. */
  readonly prices: PricesAt | undefined;
  /** How long an unused prompt cache lives; 0 where there is none, or nothing is known of it. */
  readonly cacheTtlMs: number;
  /** What is known of the model. */
  readonly entry: ModelEntry;
}

const MAX_REPLY_SHARE = 0.25;

export function resolveModel(choice: ModelChoice, registry: ModelRegistry): SessionModel {
  assertObject("choice", choice);
  const { model } = choice;
  const isNamed = typeof model === "string" && model !== "";
  assert(isNamed || (typeof model === "object" && isEntry(model)), "model", model, "a model id or a model entry");
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
