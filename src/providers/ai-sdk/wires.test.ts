import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { assistant, call, log, result, user } from "../../../test/support/messages.ts";
import type { Message } from "../../core/message/message.ts";
import { priceOf } from "../../core/models/price.ts";
import type { ModelCall, ModelChunk, ModelHandler } from "../../core/ports/model-handler.ts";
import { type ModelServer, type ModelWire, startModelServer } from "../../testing/index.ts";
import { createModelHandler, ModelError, type ModelHandlerOptions } from "./index.ts";

const KEY = "sk-test-0123456789";

interface Wire {
  readonly model: string;
  readonly wire: ModelWire;
}

const WIRES: readonly Wire[] = [
  { model: "anthropic/claude-haiku-4-5", wire: "anthropic" },
  { model: "openai/gpt-4o", wire: "openai" },
  { model: "google/gemini-2.5-flash", wire: "gemini" },
  { model: "deepseek/deepseek-v4-pro", wire: "deepseek" },
  { model: "openai-compatible/house-model", wire: "openai" },
  { model: "openai-compatible/deepseek-v4-pro", wire: "deepseek" },
];

let server: ModelServer;
const contacted = new Set<string>();
beforeEach(async () => {
  server = await startModelServer({ apiKey: KEY });
});
afterEach(() => server.close());
afterAll(() => expect([...contacted]).toEqual(["127.0.0.1"]));

function handlerFor({ model, wire }: Wire, options: Partial<ModelHandlerOptions> = {}): ModelHandler {
  return createModelHandler({
    model,
    apiKey: KEY,
    baseUrl: server.baseUrls[wire],
    environment: {},
    retryDelayMs: 1,
    fetch: (input, init) => {
      contacted.add(new URL(String(input)).hostname);
      return fetch(input, init);
    },
    ...options,
  });
}

function callWith(fields: Partial<ModelCall> = {}): ModelCall {
  return { signal: new AbortController().signal, maxOutputTokens: 500, temperature: 0.3, ...fields };
}

async function requestArrived(): Promise<void> {
  while (server.requests.length === 0) await new Promise((next) => setTimeout(next, 5));
}

interface Reply {
  readonly chunks: readonly ModelChunk[];
  readonly text: string;
  readonly reasoning: string;
  readonly error: unknown;
}

async function ask(
  handler: ModelHandler,
  messages: readonly Message[] = [user("hello")],
  call = callWith(),
): Promise<Reply> {
  const chunks: ModelChunk[] = [];
  let error: unknown;
  try {
    for await (const chunk of handler.createMessage("Be brief.", messages, call)) chunks.push(chunk);
  } catch (thrown) {
    error = thrown;
  }
  const joined = (type: "text" | "reasoning") =>
    chunks.map((chunk) => (chunk.type === type ? chunk.text : "")).join("");
  return { chunks, text: joined("text"), reasoning: joined("reasoning"), error };
}

describe.each(WIRES)("$model", (wire) => {
  test("streams the text in pieces, then the usage", async () => {
    const sentence = "The rotation of the signing key is in src/keys/rotate.ts, and it runs at night.";
    server.script({ type: "text", text: sentence });
    const reply = await ask(handlerFor(wire));
    expect(reply).toMatchObject({ text: sentence, error: undefined });
    expect(reply.chunks.filter(({ type }) => type === "text").length).toBeGreaterThan(1);
    expect(reply.chunks.at(-1)).toMatchObject({ type: "usage" });
    expect(server.requests).toMatchObject([{ wire: wire.wire, isStreaming: true, outcome: "answered" }]);
  });

  test("counts each token of the usage once, and prices it", async () => {
    const usage = { inputTokens: 1_000, outputTokens: 50, cacheReadTokens: 8_000, cacheWriteTokens: 0 };
    server.script({ type: "text", text: "ok", reasoning: "a thought that is part of the output", usage });
    const { chunks } = await ask(handlerFor(wire));
    const totalCost = priceOf(wire.model, usage);
    expect(chunks.at(-1)).toEqual({ type: "usage", ...usage, ...(totalCost !== undefined && { totalCost }) });
    if (wire.model.endsWith("house-model")) expect(totalCost).toBeUndefined();
    else expect(totalCost).toBeGreaterThan(0);
  });

  test("sends a history of tool calls that the provider accepts", async () => {
    const signed = { type: "reasoning", text: "look first", signature: "c2lnbmVk" };
    const messages = log(
      user("Fix the build."),
      user("It fails since Monday."),
      assistant(signed, "I look.", call("c1"), call("c2", "run", { command: "npm test" })),
      user(result("c1", ""), { ...result("c2", "1 failed"), is_error: true }, "And hurry."),
      assistant({ type: "reasoning", text: "plain" }, call("c3", "edit.file", { path: "a.ts" })),
      user(result("c3")),
      assistant(" ", call("c4", "wait")),
      user("Stop that. Summarise."),
    );
    const { error } = await ask(handlerFor(wire), messages);
    expect(error).toBeUndefined();
    expect(server.requests).toMatchObject([{ outcome: "answered" }]);
    const body = JSON.stringify(server.requests[0]?.body);
    expect(body).not.toMatch(/"(ts|tags|folds)":|"m[0-9]"/);
    for (const said of ["Monday", "npm test", "1 failed", "hurry", "Be brief."]) expect(body).toContain(said);
  });

  test("accepts messages that begin with a summary", async () => {
    const { error } = await ask(handlerFor(wire), [assistant("Summary of before."), user("Go on.")]);
    expect(error).toBeUndefined();
  });

  test("ends with the caller's reason when aborted before the reply", async () => {
    server.script({ type: "hang" });
    const controller = new AbortController();
    const asked = ask(handlerFor(wire), undefined, callWith({ signal: controller.signal }));
    await requestArrived();
    const reason = new Error("nobody waits any more");
    controller.abort(reason);
    expect(await asked).toMatchObject({ error: reason, chunks: [] });
    expect(server.requests).toHaveLength(1);
  });

  test("ends with the caller's reason when aborted inside the reply", async () => {
    server.script({ type: "hang-mid-stream", text: "It begins" });
    const controller = new AbortController();
    const reason = new Error("that will do");
    const reply = handlerFor(wire).createMessage("", [user("hello")], callWith({ signal: controller.signal }));
    const read = async () => {
      for await (const chunk of reply) if (chunk.type === "text") controller.abort(reason);
    };
    await expect(read()).rejects.toBe(reason);
    expect(server.requests).toHaveLength(1);
  });

  test("asks again after 429 and 529, and then answers", async () => {
    server.script(
      { type: "error", status: 429, message: "slow down", retryAfterSeconds: 0 },
      { type: "error", status: 529, message: "overloaded" },
      { type: "text", text: "at last" },
    );
    expect(await ask(handlerFor(wire))).toMatchObject({ text: "at last", error: undefined });
    expect(server.requests).toHaveLength(3);
  });

  test("gives up after the last retry, with the provider's status and words", async () => {
    server.script(
      ...Array.from({ length: 3 }, () => ({ type: "error", status: 500, message: "disk on fire" }) as const),
    );
    const { error } = await ask(handlerFor(wire));
    expect(error).toBeInstanceOf(ModelError);
    expect(error).toMatchObject({
      code: "model-failed",
      status: 500,
      message: `${wire.model} answered 500 (3 attempts): disk on fire`,
    });
    expect(server.requests).toHaveLength(3);
  });

  test.each([400, 401, 403, 404])("asks once when the answer is %i", async (status) => {
    server.script({ type: "error", status, message: "no" });
    const { error } = await ask(handlerFor(wire));
    expect(error).toMatchObject({ status, message: `${wire.model} answered ${status}: no` });
    expect(server.requests).toHaveLength(1);
  });

  test("throws after the text that came, when the stream is cut", async () => {
    server.script({ type: "cut", text: "Half of a sen" });
    const { text, error } = await ask(handlerFor(wire));
    expect(text).toBe("Half of a sen");
    expect(error).toMatchObject({ code: "model-failed", status: undefined });
    expect(server.requests).toHaveLength(1);
  });

  test("throws on what is not its protocol", async () => {
    server.script({ type: "garbage" });
    const { chunks, error } = await ask(handlerFor(wire));
    expect(chunks).toEqual([]);
    expect(error).toBeInstanceOf(ModelError);
  });

  test("never shows the key, also where the provider quotes it", async () => {
    const wrong = "sk-wrong-9876543210";
    const refused = await ask(handlerFor(wire, { apiKey: wrong }));
    expect(refused.error).toMatchObject({ status: expect.any(Number) });
    server.script({ type: "error", status: 400, message: `Incorrect API key provided: ${KEY}.` });
    const quoted = await ask(handlerFor(wire));
    expect(quoted.error).toMatchObject({ message: expect.stringContaining("provided: [redacted].") });
    for (const { error } of [refused, quoted]) {
      expect(`${JSON.stringify(error)} ${error instanceof Error && error.stack}`).not.toMatch(/sk-(test|wrong)/);
    }
  });

  test("closes the connection when the reader leaves early", async () => {
    server.script({ type: "hang-mid-stream", text: "enough of this" });
    const signals: (AbortSignal | null | undefined)[] = [];
    const watched: typeof fetch = (input, init) => {
      signals.push(init?.signal);
      return fetch(input, init);
    };
    for await (const chunk of handlerFor(wire, { fetch: watched }).createMessage("", [user("hello")], callWith())) {
      expect(chunk.type).toBe("text");
      break;
    }
    expect(signals).toMatchObject([{ aborted: true }]);
  });
});

test.each([
  { model: "anthropic/claude-haiku-4-5", wire: "anthropic" },
  { model: "openai/gpt-5.6", wire: "openai" },
] as const)("$model reports what was written to the cache apart", async (wire) => {
  const usage = { inputTokens: 1_000, outputTokens: 50, cacheReadTokens: 8_000, cacheWriteTokens: 300 };
  server.script({ type: "text", text: "ok", usage });
  const { chunks } = await ask(handlerFor(wire));
  expect(chunks.at(-1)).toEqual({ type: "usage", ...usage, totalCost: priceOf(wire.model, usage) });
});

describe("reasoning", () => {
  test.each([
    { model: "anthropic/claude-haiku-4-5", wire: "anthropic" },
    { model: "google/gemini-2.5-flash", wire: "gemini" },
    { model: "deepseek/deepseek-v4-pro", wire: "deepseek" },
    { model: "openai-compatible/deepseek-v4-pro", wire: "deepseek" },
  ] as const)("streams apart from the text: $model", async (wire) => {
    server.script({ type: "text", text: "Forty-two.", reasoning: "Six times seven, is it not?" });
    expect(await ask(handlerFor(wire))).toMatchObject({ text: "Forty-two.", reasoning: "Six times seven, is it not?" });
  });
});

describe("what a request asks for", () => {
  async function bodyFor(wire: Wire, messages?: readonly Message[]) {
    await ask(handlerFor(wire), messages);
    return server.requests.at(-1)?.body;
  }

  test("the output limit and the temperature", async () => {
    const limits = { temperature: 0.3, max_tokens: 500 };
    expect(await bodyFor({ model: "anthropic/claude-haiku-4-5", wire: "anthropic" })).toMatchObject(limits);
    expect(await bodyFor({ model: "openai/gpt-4o", wire: "openai" })).toMatchObject(limits);
    expect(await bodyFor({ model: "vllm/house-model", wire: "openai" })).toMatchObject(limits);
    expect(await bodyFor({ model: "google/gemini-2.5-flash", wire: "gemini" })).toMatchObject({
      generationConfig: { temperature: 0.3, maxOutputTokens: 500 },
    });
  });

  test.each([
    { model: "openai/gpt-5-mini", wire: "openai" },
    { model: "openai/o3", wire: "openai" },
    { model: "anthropic/claude-opus-4-7", wire: "anthropic" },
    { model: "deepseek/deepseek-v4-pro", wire: "deepseek" },
  ] as const)("no temperature from $model, which refuses it", async (wire) => {
    expect(await bodyFor(wire)).not.toHaveProperty("temperature");
  });

  test("tools that the model must not call, on Anthropic's wire", async () => {
    const messages = [user("go"), assistant(call("c1")), user(result("c1"), "Summarise.")];
    expect(await bodyFor({ model: "anthropic/claude-haiku-4-5", wire: "anthropic" }, messages)).toMatchObject({
      tools: [{ name: "read_file", input_schema: { type: "object" } }],
      tool_choice: { type: "none" },
    });
  });
});

describe("failures", () => {
  const claude: Wire = { model: "anthropic/claude-haiku-4-5", wire: "anthropic" };

  test("a server that is not there is asked again, then named as such", async () => {
    const gone = await startModelServer();
    await gone.close();
    const { error } = await ask(handlerFor(claude, { baseUrl: gone.baseUrls.anthropic, fetch }));
    expect(error).toMatchObject({
      status: undefined,
      message: expect.stringMatching(/\(3 attempts\): .*ECONNREFUSED/),
    });
  });

  test("a connection that is cut before the reply begins is tried again", async () => {
    server.script({ type: "cut", text: "" }, { type: "text", text: "second try" });
    expect(await ask(handlerFor(claude))).toMatchObject({ text: "second try", error: undefined });
  });

  test("an abort while waiting for a retry ends at once", async () => {
    server.script({ type: "error", status: 503 });
    const controller = new AbortController();
    const asked = ask(
      handlerFor(claude, { retryDelayMs: 600_000 }),
      undefined,
      callWith({ signal: controller.signal }),
    );
    await requestArrived();
    setTimeout(() => controller.abort(), 50);
    expect((await asked).error).toMatchObject({ name: "AbortError" });
  });

  test("an aborted call asks nobody", async () => {
    const { error } = await ask(handlerFor(claude), undefined, callWith({ signal: AbortSignal.abort() }));
    expect(error).toMatchObject({ name: "AbortError" });
    expect(server.requests).toHaveLength(0);
  });

  test("a prompt that is too long keeps the provider's words", async () => {
    const small = await startModelServer({ contextWindow: 1_000 });
    try {
      const handler = handlerFor(claude, { baseUrl: small.baseUrls.anthropic, fetch });
      const { error } = await ask(handler, [user("word ".repeat(2_000))]);
      expect(error).toMatchObject({
        status: 400,
        message: expect.stringMatching(/prompt is too long: \d+ tokens > 1000 maximum/),
      });
    } finally {
      await small.close();
    }
  });

  test("messages of the wrong shape are refused before anything is sent", async () => {
    const { error } = await ask(handlerFor(claude), JSON.parse('[{"role":"system","content":"x"}]'));
    expect(error).toMatchObject({ code: "invalid-message" });
    expect(server.requests).toHaveLength(0);
  });
});
