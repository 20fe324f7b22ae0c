import { assertArray } from "../assert.ts";
import { CLAUDE_MODELS } from "./claude.ts";
import { CONDENSE_DEFAULTS, type CondenseDefaults } from "./condense-defaults.ts";
import { DEEPSEEK_MODELS } from "./deepseek.ts";
import { GEMINI_MODELS } from "./gemini.ts";
import { GROK_MODELS } from "./grok.ts";
import type { ModelEntry } from "./model-entry.ts";
import { modelWords, namesModel } from "./model-words.ts";
import { OPEN_WEIGHTS_MODELS } from "./open-weights.ts";
import { OPENAI_MODELS } from "./openai.ts";
import { QWEN_MODELS } from "./qwen.ts";
import { validateEntry } from "./validate-entry.ts";

/** Windows, limits, prices and defaults by model id. */
export interface ModelRegistry {
  /** The entry of a model. Never throws: an id that matches no entry gets the entry `unknown`. */
  find(modelId: string): ModelEntry;
  /** The context window, in tokens. */
  tokenLimit(modelId: string): number;
}

const UNKNOWN_MODEL: ModelEntry = {
  id: "unknown",
  contextWindow: 200_000,
  outputLimitTokens: 8_192,
  pricesUsdPerMillion: { type: "unknown" },
  cacheTtlMs: 0,
  takesImages: false,
  requiresReasoningBack: false,
};

/** Whether this is the entry that a registry returns for unknown ids. */
export function isUnknownModel({ id }: ModelEntry): boolean {
  return id === UNKNOWN_MODEL.id;
}

const BUILT_IN_MODELS: readonly ModelEntry[] = [
  ...CLAUDE_MODELS,
  ...OPENAI_MODELS,
  ...GEMINI_MODELS,
  ...DEEPSEEK_MODELS,
  ...QWEN_MODELS,
  ...OPEN_WEIGHTS_MODELS,
  ...GROK_MODELS,
];

/**
 * A registry of the built-in models and, before them, `extra` ones.
 *
 * Ids are compared by their words, so case, separators, prefixes (`us.anthropic.`, `openrouter/google/`) and
 * suffixes (dates, `-latest`, `:free`) do not matter; only another version number does. The name with the most words
 * wins, and among equally long ones the user's: `gpt-5-mini` over `gpt-5`, a known version over its family. A `[1m]` at the end
 * asks for the extended window.
 * @example
 * ```ts
 * import { createEngine, createModelRegistry, findModel } from "palimpsest";
 * const registry = createModelRegistry([{ ...findModel("gpt-4o"), id: "my-model", contextWindow: 32_000 }]);
 * createEngine({ model: "my-model", registry });
 * console.log(registry.tokenLimit("my-model")); // 32000
 * ```
 */
export function createModelRegistry(extra: readonly ModelEntry[] = []): ModelRegistry {
  assertArray("extra", extra);
  for (const entry of extra) validateEntry(entry);
  const names = [...extra, ...BUILT_IN_MODELS].flatMap((entry) =>
    [entry.id, ...(entry.aliases ?? [])].map((name) => ({ words: modelWords(name), entry })),
  );
  // sorting is stable, so the user's names stay before equally long ones
  names.sort((a, b) => b.words.length - a.words.length);

  // A gateway looks up the same few ids several times per request: comparing all names took 2 % of its time.
  const cache = new Map<string, ModelEntry>();

  function find(modelId: string): ModelEntry {
    // Ids come from configuration files and requests: one that is not a string is simply unknown.
    if (typeof modelId !== "string") return UNKNOWN_MODEL;
    const cached = cache.get(modelId);
    if (cached !== undefined) return cached;
    const entry = search(modelId);
    if (cache.size >= MOST_CACHED_IDS) cache.clear();
    if (modelId.length <= LONGEST_ID) cache.set(modelId, entry);
    return entry;
  }

  function search(modelId: string): ModelEntry {
    const fullId = modelId.slice(0, LONGEST_ID).trim();
    const id = fullId.replace(EXTENDED_WINDOW_SUFFIX, "");
    const words = modelWords(id);
    const entry = names.find((name) => namesModel(name.words, words))?.entry ?? UNKNOWN_MODEL;
    return id === fullId ? entry : withExtendedWindow(entry);
  }

  return { find, tokenLimit: (modelId) => find(modelId).contextWindow };
}

// Bounds the work on ids in requests of any size: no model has a longer id.
const LONGEST_ID = 256;
const MOST_CACHED_IDS = 1_000;
const EXTENDED_WINDOW_SUFFIX = /\[1m\]$/i;

function withExtendedWindow(entry: ModelEntry): ModelEntry {
  return { ...entry, contextWindow: entry.extendedContextWindow ?? entry.contextWindow };
}

const SHARED_REGISTRY = /* @__PURE__ */ createModelRegistry();

/**
 * The entry of a model in the built-in registry; `unknown` where it has none. Never throws.
 * @example
 * ```ts
 * import { findModel } from "palimpsest";
 * console.log(findModel("claude-sonnet-4-5").contextWindow); // 200000
 * console.log(findModel("us.anthropic.claude-sonnet-4-5-v1:0").id); // claude-sonnet-4-5
 * ```
 */
export function findModel(modelId: string): ModelEntry {
  return SHARED_REGISTRY.find(modelId);
}

/**
 * The context window of a model, in tokens; 200,000 for one that we do not know.
 * @example
 * ```ts
 * import { tokenLimit } from "palimpsest/core";
 * console.log(tokenLimit("gemini-2.5-pro"), tokenLimit("nobody-knows-it")); // 1048576 200000
 * ```
 */
export function tokenLimit(modelId: string): number {
  return SHARED_REGISTRY.tokenLimit(modelId);
}

/**
 * When and how a model's conversations are condensed, unless the user says otherwise.
 * @example
 * ```ts
 * import { condenseDefaults } from "palimpsest/core";
 * const { thresholdPercent, keepMessages } = condenseDefaults("claude-opus-4-5");
 * console.log(thresholdPercent, keepMessages); // 80 5
 * ```
 */
export function condenseDefaults(model: ModelEntry | string): CondenseDefaults {
  const entry = isEntry(model) ? model : findModel(model);
  return entry.condense ?? CONDENSE_DEFAULTS.other;
}

/** Whether this is an entry, not the id of one. */
export function isEntry(model: ModelEntry | string): model is ModelEntry {
  return typeof model === "object" && model !== null && "pricesUsdPerMillion" in model;
}
