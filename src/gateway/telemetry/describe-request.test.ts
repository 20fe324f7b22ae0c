import { expect, test } from "vitest";
import type { RequestActivity } from "../activity.ts";
import { describeRequest, nameRequest } from "./describe-request.ts";

const REQUEST: RequestActivity = {
  type: "request",
  at: 2_000,
  startedAt: 1_000,
  api: "openai-chat",
  operation: "generate",
  modelId: "gpt-5",
  sessionId: undefined,
  status: 200,
  isStreaming: false,
  isComplete: true,
  tokensIn: 10,
  tokensSent: 10,
  foldIds: [],
  retries: 0,
  addedMs: 0.2,
  usage: undefined,
  costUsd: undefined,
};

test.each([
  ["anthropic", "chat", "anthropic", undefined],
  ["openai-chat", "chat", "openai", "chat_completions"],
  ["openai-responses", "chat", "openai", "responses"],
  ["gemini", "generate_content", "gcp.gemini", undefined],
] as const)("%s is called what the conventions call it", (api, operation, provider, openaiApiType) => {
  const request = { ...REQUEST, api };
  expect(nameRequest(request)).toBe(`${operation} gpt-5`);
  expect(describeRequest(request)).toMatchObject({
    "gen_ai.operation.name": operation,
    "gen_ai.provider.name": provider,
    ...(openaiApiType && { "openai.api.type": openaiApiType }),
  });
});

test("counting tokens is an operation of its own", () => {
  expect(nameRequest({ ...REQUEST, operation: "count-tokens" })).toBe("count_tokens gpt-5");
});

test("what is not known is left out", () => {
  expect(describeRequest({ ...REQUEST, status: undefined, modelId: "" })).toEqual({
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "openai",
    "openai.api.type": "chat_completions",
    "error.type": "no_response",
    "palimpsest.tokens_in": 10,
    "palimpsest.tokens_sent": 10,
    "palimpsest.folds": 0,
    "palimpsest.retries": 0,
    "palimpsest.added_ms": 0.2,
  });
  expect(nameRequest({ ...REQUEST, modelId: "" })).toBe("chat");
});

test("a prompt that no cache was involved in is its input alone", () => {
  const described = describeRequest({ ...REQUEST, usage: { inputTokens: 12 } });
  expect(described).toMatchObject({ "gen_ai.usage.input_tokens": 12 });
  expect(described).not.toHaveProperty("gen_ai.usage.output_tokens");
  expect(described).not.toHaveProperty("gen_ai.usage.cache_read.input_tokens");
});

test("an endless name of a model is cut", () => {
  expect(nameRequest({ ...REQUEST, modelId: "x".repeat(1_000_000) })).toBe(`chat ${"x".repeat(256)}`);
});
