import { describe, expect, test } from "vitest";
import { user } from "../../../test/support/messages.ts";
import type { ModelChunk } from "../../core/ports/model-handler.ts";
import { createModelHandler } from "./index.ts";

// Streams that end as the scripted server's never do. Nothing leaves the process.

const USAGE = { prompt_tokens: 7, completion_tokens: 500 };

function said(content: string) {
  return { choices: [{ index: 0, delta: { content }, finish_reason: null }] };
}

function ended(finish_reason: string) {
  return { choices: [{ index: 0, delta: {}, finish_reason }], usage: USAGE };
}

/** Asks a model whose server answers each attempt with the next list of events, the last one again and again. */
async function ask(model: string, ...answers: readonly (readonly object[])[]) {
  let attempts = 0;
  const handler = createModelHandler({
    model,
    apiKey: "sk-test-0123456789",
    baseUrl: "http://127.0.0.1:9/v1",
    retryDelayMs: 0,
    fetch: async () => {
      const events = answers[Math.min(attempts++, answers.length - 1)] ?? [];
      const body = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
      return new Response(body, { headers: { "content-type": "text/event-stream" } });
    },
  });
  const chunks: ModelChunk[] = [];
  let error: unknown;
  try {
    for await (const chunk of handler.createMessage("", [user("hello")])) chunks.push(chunk);
  } catch (thrown) {
    error = thrown;
  }
  return { chunks, error, attempts };
}

const CHAT_MODELS = ["openai/gpt-4o", "deepseek/deepseek-chat", "ollama/llama3.1"];

describe.each(CHAT_MODELS)("%s", (model) => {
  test("a stream that just ends is an error after the text, and is tried again before it", async () => {
    const inside = await ask(model, [said("Half")]);
    expect(inside).toMatchObject({ chunks: [{ type: "text", text: "Half" }], attempts: 1 });
    expect(inside.error).toMatchObject({ code: "model-failed", status: undefined });
    const before = await ask(model, [], [said("Whole."), ended("stop")]);
    expect(before.chunks[0]).toEqual({ type: "text", text: "Whole." });
  });

  test("a reply that the provider's filter stopped is an error, and its tokens still count", async () => {
    const { chunks, error, attempts } = await ask(model, [said("I must"), ended("content_filter")]);
    expect(chunks.at(-1)).toMatchObject({ type: "usage", inputTokens: 7, outputTokens: 500 });
    expect(error).toMatchObject({ message: expect.stringContaining("stopped the reply (content_filter)") });
    expect(attempts).toBe(1);
  });

  test("a reply that is all reasoning says that it needs more room", async () => {
    const { chunks, error } = await ask(model, [ended("length")]);
    expect(chunks).toMatchObject([{ type: "usage" }]);
    expect(error).toMatchObject({ message: expect.stringContaining("maxOutputTokens") });
  });

  test("a reply that is cut at its limit is handed out", async () => {
    expect(await ask(model, [said("Long"), ended("length")])).toMatchObject({ error: undefined });
  });

  test("a passing error as the stream's first event is tried again", async () => {
    const overloaded = { error: { message: "overloaded", type: "server_error", code: 503 } };
    const { chunks, error, attempts } = await ask(model, [overloaded], [said("ok"), ended("stop")]);
    expect({ error, attempts }).toEqual({ error: undefined, attempts: 2 });
    expect(chunks[0]).toEqual({ type: "text", text: "ok" });
  });
});

test("what a local server reports costs nothing", async () => {
  const { chunks } = await ask("ollama/deepseek-chat", [said("ok"), ended("stop")]);
  expect(chunks.at(-1)).toMatchObject({ type: "usage", totalCost: 0 });
});
