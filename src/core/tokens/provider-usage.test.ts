import type { Usage } from "@anthropic-ai/sdk/resources/messages";
import type { GenerateContentResponseUsageMetadata } from "@google/genai";
import type { CompletionUsage } from "openai/resources/completions";
import type { ResponseUsage } from "openai/resources/responses/responses";
import { expect, test } from "vitest";
import { type ProviderUsage, reportedUsage } from "./provider-usage.ts";

test("a report of Anthropic's client has its parts apart", () => {
  const usage = { input_tokens: 10, cache_read_input_tokens: 70, cache_creation_input_tokens: 20, output_tokens: 5 };
  const expected = { inputTokens: 10, cacheReadTokens: 70, cacheWriteTokens: 20, outputTokens: 5 };
  expect(reportedUsage(usage)).toEqual(expected);
  expect(reportedUsage({ ...usage, cache_read_input_tokens: null })).toEqual({ ...expected, cacheReadTokens: 0 });
});

test.each<[string, ProviderUsage]>([
  [
    "of a chat completion",
    {
      prompt_tokens: 100,
      completion_tokens: 30,
      prompt_tokens_details: { cached_tokens: 70 },
      completion_tokens_details: { reasoning_tokens: 25 },
    },
  ],
  [
    "of a response",
    {
      input_tokens: 100,
      output_tokens: 30,
      total_tokens: 130,
      input_tokens_details: { cached_tokens: 70 },
      output_tokens_details: { reasoning_tokens: 25 },
    },
  ],
  [
    "of Gemini's client",
    { promptTokenCount: 100, cachedContentTokenCount: 70, candidatesTokenCount: 5, thoughtsTokenCount: 25 },
  ],
])("a report %s counts cached tokens and thoughts once", (_, usage) => {
  expect(reportedUsage(usage)).toEqual({
    inputTokens: 30,
    cacheReadTokens: 70,
    outputTokens: 5,
    reasoningTokens: 25,
  });
});

test("our own report stays as it is", () => {
  const usage = { inputTokens: 10, outputTokens: 5 };
  expect(reportedUsage(usage)).toBe(usage);
});

test("takes what the official clients report, by their own types", () => {
  const taken = (usage: Usage | CompletionUsage | ResponseUsage | GenerateContentResponseUsageMetadata): unknown =>
    reportedUsage(usage);
  expect(taken({ prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 })).toMatchObject({ inputTokens: 1 });
});
