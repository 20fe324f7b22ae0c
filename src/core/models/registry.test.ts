import { describe, expect, test } from "vitest";
import { CLAUDE_MODELS } from "./claude.ts";
import { DEEPSEEK_MODELS } from "./deepseek.ts";
import { GEMINI_MODELS } from "./gemini.ts";
import { GROK_MODELS } from "./grok.ts";
import type { ModelEntry } from "./model-entry.ts";
import { OPEN_WEIGHTS_MODELS } from "./open-weights.ts";
import { OPENAI_MODELS } from "./openai.ts";
import { QWEN_MODELS } from "./qwen.ts";
import { condenseDefaults, createModelRegistry, findModel, tokenLimit } from "./registry.ts";
import { validateEntry } from "./validate-entry.ts";

const ALL_MODELS = [
  ...CLAUDE_MODELS,
  ...OPENAI_MODELS,
  ...GEMINI_MODELS,
  ...DEEPSEEK_MODELS,
  ...QWEN_MODELS,
  ...OPEN_WEIGHTS_MODELS,
  ...GROK_MODELS,
];

const OURS: ModelEntry = {
  id: "house-model",
  contextWindow: 32_000,
  outputLimitTokens: 4_000,
  pricesUsdPerMillion: { type: "self-hosted" },
  cacheTtlMs: 0,
  takesImages: false,
  requiresReasoningBack: false,
};

describe("tokenLimit", () => {
  test.each([
    ["gemini-1.5-pro", 2_097_152],
    ["gemini-2.5-pro", 1_048_576],
    ["gemini-2.5-flash", 1_048_576],
    ["gemini-2.5-flash-lite", 1_048_576],
    ["gemini-9-unheard-of", 1_048_576],
    ["claude-sonnet-4-5", 200_000],
    ["claude-opus-5-5", 200_000],
    ["claude-9-unheard-of", 200_000],
    ["gpt-4-turbo", 128_000],
    ["gpt-3.5-turbo", 16_000],
    ["nobody-knows-me", 200_000],
    ["", 200_000],
  ])("%s has %d tokens", (modelId, tokens) => {
    expect(tokenLimit(modelId)).toBe(tokens);
  });

  test("a [1m] suffix asks for the extended window where the model has one", () => {
    expect(tokenLimit("claude-opus-5-5[1m]")).toBe(1_000_000);
    expect(tokenLimit("claude-haiku-4-5[1m]")).toBe(200_000);
    expect(tokenLimit("gpt-5-mini[1M]")).toBe(400_000);
  });
});

describe("findModel", () => {
  test.each([
    ["claude-sonnet-4-5-20250929", "claude-sonnet-4-5"],
    ["anthropic/claude-sonnet-4.5", "claude-sonnet-4-5"],
    ["openrouter/anthropic/claude-sonnet-4.5:beta", "claude-sonnet-4-5"],
    ["us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5"],
    ["claude-sonnet-4-5@20250929", "claude-sonnet-4-5"],
    ["CLAUDE-Sonnet-4-5", "claude-sonnet-4-5"],
    ["claude-sonnet-4-20250514", "claude-sonnet-4"],
    ["claude-sonnet-4-0", "claude-sonnet-4"],
    ["claude-3-5-sonnet-latest", "claude-3-5-sonnet"],
    ["claude-3-opus-20240229", "claude-3-opus"],
    ["sonnet", "claude-sonnet-5-5"],
    ["models/gemini-2.5-pro", "gemini-2.5-pro"],
    ["gemini-2.5-flash-lite-preview-09-2025", "gemini-2.5-flash-lite"],
    ["gemini-3-pro-preview", "gemini-3.1-pro"],
    ["gpt-4o-2024-08-06", "gpt-4o"],
    ["gpt-4o-mini-2024-07-18", "gpt-4o-mini"],
    ["gpt-4-1106-preview", "gpt-4-turbo"],
    ["gpt-4-0613", "gpt-4"],
    ["gpt-4.1-2025-04-14", "gpt-4.1"],
    ["gpt-35-turbo", "gpt-3.5-turbo"],
    ["gpt-5-mini", "gpt-5-mini"],
    ["gpt-5-codex", "gpt-5"],
    ["gpt-5.6", "gpt-5.6-sol"],
    ["openai/gpt-6.1-terra", "gpt-6.1-terra"],
    ["o3-mini-2025-01-31", "o3-mini"],
    ["deepseek-chat", "deepseek-chat"],
    ["deepseek/deepseek-v4-pro", "deepseek-v4-pro"],
    ["qwen/qwen3-coder-plus", "qwen3-coder-plus"],
    ["qwen2.5-coder:7b", "qwen"],
    ["llama3.1:8b", "llama"],
    ["meta-llama/llama-4-maverick", "llama-4-maverick"],
    ["moonshotai/kimi-k3", "kimi-k3"],
    ["z-ai/glm-5.3", "glm-5.3"],
    ["mistral-large-4", "mistral-large-4"],
    ["x-ai/grok-4.7", "grok-4.7"],
  ])("%s is %s", (modelId, expected) => {
    expect(findModel(modelId).id).toBe(expected);
  });

  test.each([
    ["gpt-5.9", "gpt"],
    ["gpt-4.5-preview", "gpt"],
    ["claude-7", "claude"],
    ["gemini-3.9-flash", "gemini"],
    ["deepseek-v9", "deepseek"],
    ["grok-9", "grok"],
  ])("a version that we do not know is not taken for its neighbour: %s is %s", (modelId, expected) => {
    expect(findModel(modelId).id).toBe(expected);
  });

  test("an id that nothing matches gets the unknown entry", () => {
    expect(findModel("").id).toBe("unknown");
    expect(findModel("///").id).toBe("unknown");
    expect(findModel("my-private-model").pricesUsdPerMillion).toEqual({ type: "unknown" });
  });

  test("every built-in name leads to its own entry", () => {
    for (const entry of ALL_MODELS) {
      for (const name of [entry.id, ...(entry.aliases ?? [])]) expect(findModel(name)).toBe(entry);
    }
  });
});

describe("createModelRegistry", () => {
  test("finds the user's entries by the same rule", () => {
    const registry = createModelRegistry([OURS]);
    expect(registry.find("lab/House_Model-20260101")).toBe(OURS);
    expect(registry.tokenLimit("house-model")).toBe(32_000);
  });

  test("the user's entry wins over a built-in one of the same name, and leaves its neighbours alone", () => {
    const registry = createModelRegistry([{ ...findModel("gpt-5"), contextWindow: 64_000 }]);
    expect(registry.tokenLimit("gpt-5")).toBe(64_000);
    expect(registry.tokenLimit("gpt-5-mini")).toBe(400_000);
  });

  test("leaves the shared registry alone", () => {
    createModelRegistry([{ ...OURS, id: "claude-sonnet-4-5", contextWindow: 1 }]);
    expect(tokenLimit("claude-sonnet-4-5")).toBe(200_000);
  });

  test.each<[string, Partial<ModelEntry>]>([
    ["id", { id: "--" }],
    ["contextWindow", { contextWindow: -1 }],
    ["contextWindow", { contextWindow: 1.5 }],
    ["outputLimitTokens", { outputLimitTokens: 0 }],
    ["extendedContextWindow", { extendedContextWindow: 1_000 }],
    ["inputLimitTokens", { inputLimitTokens: Number.NaN }],
    ["tokenRatio", { tokenRatio: 0 }],
    ["cacheTtlMs", { cacheTtlMs: -5 }],
    ["pricesUsdPerMillion.input", { pricesUsdPerMillion: { type: "metered", input: Number.NaN, output: 1 } }],
    [
      "pricesUsdPerMillion.longPrompts[1].aboveTokens",
      {
        pricesUsdPerMillion: {
          type: "metered",
          input: 1,
          output: 1,
          longPrompts: [
            { aboveTokens: 20, input: 1, output: 1 },
            { aboveTokens: 10, input: 1, output: 1 },
          ],
        },
      },
    ],
    ["condense.thresholdPercent", { condense: { ...condenseDefaults("opus"), thresholdPercent: 3 } }],
  ])("refuses a wrong %s and says what is allowed", (field, change) => {
    const entry = { ...OURS, ...change };
    expect(() => createModelRegistry([entry])).toThrow(
      expect.objectContaining({ code: "invalid-argument", message: expect.stringContaining(`${field} is `) }),
    );
    expect(() => createModelRegistry([entry])).toThrow(/it must be /);
  });

  test("an output limit above the window is allowed: some providers count the two apart", () => {
    expect(createModelRegistry([{ ...OURS, outputLimitTokens: 64_000 }]).find("house-model").outputLimitTokens).toBe(
      64_000,
    );
  });
});

describe("the built-in entries", () => {
  test("are all valid", () => {
    for (const entry of ALL_MODELS) expect(() => validateEntry(entry)).not.toThrow();
  });

  test("name condensing models that exist and whose window is no smaller", () => {
    for (const entry of ALL_MODELS) {
      const { condenseWith } = condenseDefaults(entry);
      if (condenseWith.type === "itself") continue;
      const condenser = findModel(condenseWith.modelId);
      expect(condenser.id).toBe(condenseWith.modelId);
      expect(condenser.contextWindow).toBeGreaterThanOrEqual(entry.contextWindow);
    }
  });

  test("know who wants reasoning back", () => {
    expect(findModel("deepseek-flash").requiresReasoningBack).toBe(true);
    expect(findModel("glm-5.3").requiresReasoningBack).toBe(true);
    expect(findModel("gpt-5").requiresReasoningBack).toBe(false);
  });
});

describe("condenseDefaults", () => {
  const itself = { type: "itself" };
  const haiku = { type: "model", modelId: "claude-haiku-5-5" };

  test.each([
    ["claude-opus-4-6", 80, itself, 70, 5],
    ["claude-sonnet-4-5-20250929", 75, haiku, 75, 3],
    ["claude-haiku-4-5", 60, itself, 80, 3],
    ["gpt-4-turbo", 70, { type: "model", modelId: "gpt-4o-mini" }, 75, 3],
    ["gpt-3.5-turbo", 50, itself, 75, 3],
    ["gemini-2.5-pro", 75, itself, 75, 3],
    ["nobody-knows-me", 75, itself, 75, 3],
  ])("of %s", (modelId, thresholdPercent, condenseWith, targetReductionPercent, keepMessages) => {
    expect(condenseDefaults(modelId)).toEqual({ thresholdPercent, condenseWith, targetReductionPercent, keepMessages });
  });
});
