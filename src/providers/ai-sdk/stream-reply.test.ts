import { describe, expect, test } from "vitest";
import { result, user } from "../../../test/support/messages.ts";
import { findModel } from "../../core/models/registry.ts";
import type { ModelChunk } from "../../core/ports/model-handler.ts";
import { createModelHandler } from "./index.ts";
import { usageChunk } from "./stream-reply.ts";

// Streams that end as the scripted server's never do. Nothing leaves the process.

const USAGE = { prompt_tokens: 7, completion_tokens: 500 };

function said(content: string) {
  return { choices: [{ index: 0, delta: { content }, finish_reason: null }] };
}

function ended(finish_reason: string) {
  return { choices: [{ index: 0, delta: {}, finish_reason }], usage: USAGE };
}

function called(text: string, id = "call_1", fields: object = {}) {
  const call = {
    index: Number(id.at(-1)),
    id,
    type: "function",
    function: { name: "run", arguments: text },
    ...fields,
  };
  return { choices: [{ index: 0, delta: { tool_calls: [call] }, finish_reason: null }] };
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

  test("a call that is cut at the limit is told as broken, the ones before it are whole", async () => {
    const { chunks, error } = await ask(model, [called('{"a":1}'), called('{"b', "call_2"), ended("length")]);
    expect(error).toBeUndefined();
    expect(chunks.slice(0, -1)).toEqual([
      { type: "tool_use", id: "call_1", name: "run", input: { a: 1 } },
      { type: "tool_use", id: "call_2", name: "run", input: {}, brokenInput: '{"b' },
    ]);
  });

  test("a call that is cut at the limit before its arguments does not pass for one without", async () => {
    const { chunks } = await ask(model, [called(""), called("", "call_2"), ended("length")]);
    expect(chunks[0]).toEqual({ type: "tool_use", id: "call_1", name: "run", input: {} });
    expect(chunks[1]).toMatchObject({ id: "call_2", input: {}, brokenInput: "" });
  });

  test("calls of a reply that the provider's filter stopped are not handed out", async () => {
    const { chunks, error } = await ask(model, [said("I"), called('{"a":1}'), ended("content_filter")]);
    expect(chunks.map(({ type }) => type)).toEqual(["text", "usage"]);
    expect(error).toMatchObject({ code: "model-failed" });
  });

  test("a prompt that is too long is known also where the stream says it", async () => {
    const tooLong = { error: { message: "no", type: "invalid_request_error", code: "context_length_exceeded" } };
    const { error, attempts } = await ask(model, [tooLong]);
    expect(error).toMatchObject({ tooLong: { isTooLong: true, by: "tokens" }, isTransient: false });
    expect(attempts).toBe(1);
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

describe("Gemini", () => {
  function parts(...list: readonly object[]) {
    return { candidates: [{ content: { role: "model", parts: list }, index: 0 }] };
  }
  const end = { candidates: [{ content: { role: "model", parts: [] }, finishReason: "STOP", index: 0 }] };

  test("signs thoughts, and the signature is kept with them", async () => {
    const { chunks } = await ask("google/gemini-3-pro-preview", [
      parts({ text: "Hm, ", thought: true }),
      parts({ text: "so.", thought: true, thoughtSignature: "c2ln" }),
      parts({ text: "Yes." }),
      end,
    ]);
    expect(chunks.slice(0, 4)).toEqual([
      { type: "reasoning", text: "Hm, " },
      { type: "reasoning", text: "so." },
      { type: "reasoning_block", block: { type: "reasoning", text: "Hm, so.", thoughtSignature: "c2ln" } },
      { type: "text", text: "Yes." },
    ]);
  });

  test("behind a compatible server signs calls in a field of its own, and gets it back", async () => {
    const signed = called("{}", "call_1", { extra_content: { google: { thought_signature: "c2ln" } } });
    const bodies: string[] = [];
    const model = "openai-compatible/gemini-3-pro-preview";
    const { chunks } = await ask(model, [signed, ended("tool_calls")]);
    expect(chunks[0]).toMatchObject({ type: "tool_use", thoughtSignature: "c2ln" });
    const [call] = chunks;
    if (call?.type !== "tool_use") throw new Error("no call");
    const handler = createModelHandler({
      model,
      baseUrl: "http://127.0.0.1:9/v1",
      maxRetries: 0,
      fetch: async (_, init) => {
        bodies.push(String(init?.body));
        return new Response("", { status: 400 });
      },
    });
    const loop = [user("go"), { role: "assistant", content: [call] } as const, user(result("call_1"))];
    await expect(handler.createMessage("", loop)[Symbol.asyncIterator]().next()).rejects.toThrow();
    expect(bodies[0]).toContain('"extra_content":{"google":{"thought_signature":"c2ln"}}');
  });
});

test("what the provider's own tools did is no call of ours", async () => {
  const executed = [{ text: "" }, { executableCode: { language: "PYTHON", code: "print(1)" } }];
  const { chunks } = await ask("google/gemini-2.5-flash", [
    { candidates: [{ content: { role: "model", parts: executed }, index: 0 }] },
    { candidates: [{ content: { role: "model", parts: [{ text: "1" }] }, finishReason: "STOP", index: 0 }] },
  ]);
  expect(chunks.map(({ type }) => type)).not.toContain("tool_use");
});

const NOTHING = { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined };
const OUTPUT = { total: 10, text: undefined, reasoning: undefined };
const UNKNOWN = { entry: findModel("nobody-knows-me"), isSelfHosted: false };

test("a server that reports nothing leads to no usage", () => {
  const output = { total: undefined, text: undefined, reasoning: undefined };
  expect(usageChunk({ inputTokens: NOTHING, outputTokens: output }, UNKNOWN)).toBeUndefined();
});

test("a model whose price nobody knows has no cost, and one at home costs nothing", () => {
  const usage = { inputTokens: { ...NOTHING, total: 5, noCache: 5 }, outputTokens: OUTPUT };
  expect(usageChunk(usage, UNKNOWN)).not.toHaveProperty("totalCost");
  const paid = findModel("deepseek-chat");
  expect(usageChunk(usage, { entry: paid, isSelfHosted: true })).toMatchObject({ totalCost: 0 });
});

test("a server that counts cached tokens beside the prompt does not lead to negative input", () => {
  const usage = { inputTokens: { ...NOTHING, total: 20, noCache: -980, cacheRead: 1_000 }, outputTokens: OUTPUT };
  expect(usageChunk(usage, UNKNOWN)).toMatchObject({ inputTokens: 0, cacheReadTokens: 1_000 });
});
