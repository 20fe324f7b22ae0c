import Anthropic from "@anthropic-ai/sdk";
import { ApiError, GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type ModelServer, type ModelWire, startModelServer } from "../index.ts";

/** Streams one reply through the wire's official client and hands over its text as it comes. */
type Ask = (server: ModelServer, signal?: AbortSignal, apiKey?: string) => AsyncIterable<string>;

function askChat(wire: "openai" | "deepseek", model: string): Ask {
  return async function* (server, signal, apiKey = "key") {
    const client = new OpenAI({ baseURL: server.baseUrls[wire], apiKey, maxRetries: 0, logLevel: "off" });
    const messages = [{ role: "user" as const, content: "Hello?" }];
    const stream = await client.chat.completions.create({ model, messages, stream: true }, { signal });
    for await (const { choices } of stream) yield choices[0]?.delta.content ?? "";
  };
}

const ASK: Readonly<Record<ModelWire, Ask>> = {
  openai: askChat("openai", "gpt-4.1"),
  deepseek: askChat("deepseek", "deepseek-chat"),
  async *"openai-responses"(server, signal, apiKey = "key") {
    const baseURL = server.baseUrls["openai-responses"];
    const client = new OpenAI({ baseURL, apiKey, maxRetries: 0, logLevel: "off" });
    const stream = await client.responses.create({ model: "gpt-4.1", input: "Hello?", stream: true }, { signal });
    for await (const event of stream) if (event.type === "response.output_text.delta") yield event.delta;
  },
  async *anthropic(server, signal, apiKey = "key") {
    const client = new Anthropic({ baseURL: server.url, apiKey, maxRetries: 0, logLevel: "off" });
    const messages = [{ role: "user" as const, content: "Hello?" }];
    const request = { model: "claude-haiku-4-5", max_tokens: 100, messages, stream: true } as const;
    for await (const event of await client.messages.create(request, { signal })) {
      if (event.type === "content_block_delta" && event.delta.type === "text_delta") yield event.delta.text;
    }
  },
  async *gemini(server, signal, apiKey = "key") {
    const client = new GoogleGenAI({ apiKey, httpOptions: { baseUrl: server.url } });
    const config = signal === undefined ? {} : { abortSignal: signal };
    const request = { model: "gemini-2.5-flash", contents: "Hello?", config };
    for await (const { text } of await client.models.generateContentStream(request)) yield text ?? "";
  },
};

const ERROR_CLASSES = {
  anthropic: Anthropic.APIError,
  openai: OpenAI.APIError,
  "openai-responses": OpenAI.APIError,
  deepseek: OpenAI.APIError,
  gemini: ApiError,
};
const WIRES: readonly ModelWire[] = ["anthropic", "openai", "openai-responses", "gemini", "deepseek"];

let server: ModelServer;

beforeEach(async () => {
  server = await startModelServer();
});

afterEach(() => server.close());

/** What came before the stream ended, and how it ended. */
async function read(chunks: AsyncIterable<string>, onText?: (text: string) => void) {
  let text = "";
  try {
    for await (const chunk of chunks) {
      text += chunk;
      onText?.(text);
    }
    return { text };
  } catch (error) {
    return { text, error };
  }
}

describe.each(WIRES)("through the official client for %s", (wire) => {
  const ask = ASK[wire];

  test("answers in the order of the script, then as the reply function says", async () => {
    const own = await startModelServer({
      reply: ({ wire, modelId }) => ({ type: "text", text: `${wire} asked ${modelId}` }),
    });
    own.script({ type: "text", text: "first" }, { type: "text", text: "second" });
    const texts = [await read(ask(own)), await read(ask(own)), await read(ask(own))];
    await own.close();
    expect(texts).toEqual([{ text: "first" }, { text: "second" }, { text: expect.stringContaining(`${wire} asked`) }]);
    expect(own.requests).toMatchObject([{ outcome: "answered" }, { outcome: "answered" }, { outcome: "answered" }]);
  });

  test.each([429, 500, 503])("fails with status %d in the provider's own shape", async (status) => {
    server.script({ type: "error", status, message: "busy right now", retryAfterSeconds: 7 });
    const { error } = await read(ask(server));
    expect(error).toBeInstanceOf(ERROR_CLASSES[wire]);
    expect(error).toMatchObject({ status, message: expect.stringContaining("busy right now") });
    expect(server.requests).toMatchObject([{ outcome: "fault" }]);
    expect(await read(ask(server))).toEqual({ text: expect.stringMatching(/.+/) });
  });

  test("hangs until the client gives up", async () => {
    server.script({ type: "hang" });
    const controller = new AbortController();
    const waiting = read(ask(server, controller.signal));
    await arrival();
    controller.abort();
    expect(await waiting).toMatchObject({ text: "", error: expect.any(Error) });
    expect(server.requests).toMatchObject([{ outcome: "fault" }]);
  });

  test("falls silent in mid-stream, its text told", async () => {
    const said = "Half of what there was to";
    server.script({ type: "hang-mid-stream", text: said });
    const controller = new AbortController();
    const { text } = await read(ask(server, controller.signal), (soFar) => {
      if (soFar === said) controller.abort();
    });
    expect(text).toBe(said);
  });

  test("cuts the connection in mid-stream, its text told", async () => {
    server.script({ type: "cut", text: "Half of what there was to" });
    const { text, error } = await read(ask(server));
    expect(text).toBe("Half of what there was to");
    expect(error).toBeInstanceOf(Error);
  });

  test("ends without saying that it is whole, its text told", async () => {
    server.script({ type: "trail-off", text: "Half of what there was to" });
    const { text } = await read(ask(server));
    expect(text).toBe("Half of what there was to");
    expect(server.requests).toMatchObject([{ outcome: "fault" }]);
  });

  test("opens a stream and says nothing for a while, then all of it", async () => {
    server.script({ type: "text", text: "after a while", opensForMs: 20 });
    expect(await read(ask(server))).toEqual({ text: "after a while" });
  });

  test("opens a stream, then breaks it", async () => {
    server.script({ type: "cut", text: "", opensForMs: 20 });
    expect(await read(ask(server))).toMatchObject({ text: "", error: expect.any(Error) });
  });

  test("opens a stream and refuses in it", async () => {
    server.script({ type: "late-error", status: 400, message: "too much", code: "too_long", opensForMs: 20 });
    const { status, text } = await streamed(server, wire);
    expect(status).toBe(200);
    expect(text).toMatch(/keep-alive|ping/);
    expect(text.slice(text.search(/keep-alive|ping/))).toContain("too much");
    expect(server.requests).toMatchObject([{ outcome: "fault" }]);
    server.script({ type: "late-error", status: 400, message: "no" });
    const { error } = await read(ask(server));
    // OpenAI's client hands a response that failed over as an event.
    if (wire !== "openai-responses") expect(error).toBeInstanceOf(Error);
  });

  test("sends bytes that no client takes for a reply", async () => {
    server.script({ type: "garbage" });
    const { text, error } = await read(ask(server));
    expect(text).toBe("");
    expect(error).toBeInstanceOf(Error);
  });

  test("demands its key", async () => {
    const locked = await startModelServer({ apiKey: "right" });
    const refused = await read(ask(locked, undefined, "wrong"));
    const accepted = await read(ask(locked, undefined, "right"));
    await locked.close();
    expect(refused.error).toMatchObject({ status: wire === "gemini" ? 400 : 401 });
    expect(accepted.error).toBeUndefined();
    expect(locked.requests.map(({ outcome }) => outcome)).toEqual(["refused", "answered"]);
  });

  test("knows only the models of its list", async () => {
    const own = await startModelServer({ models: ["other"] });
    const { error } = await read(ask(own));
    await own.close();
    expect(error).toMatchObject({ status: wire === "deepseek" || wire === "openai-responses" ? 400 : 404 });
  });

  test("tells what a reply function threw", async () => {
    const own = await startModelServer({
      reply: () => {
        throw new Error("no idea");
      },
    });
    const { error } = await read(ask(own));
    await own.close();
    expect(error).toMatchObject({ status: 500, message: expect.stringContaining("no idea") });
  });
});

describe("without streaming", () => {
  const post = (body: string) => fetch(`${server.baseUrls.openai}/chat/completions`, { method: "POST", body });
  const REQUEST = JSON.stringify({ model: "gpt-4.1", messages: [{ role: "user", content: "Hello?" }] });

  test("a cut leaves half of the reply", async () => {
    server.script({ type: "cut", text: "Half" });
    const response = await post(REQUEST);
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow();
  });

  test("raw arguments are sent as they are", async () => {
    server.script({ type: "tool-calls", calls: [{ id: "a", name: "b", input: {}, rawInput: "{half" }] });
    expect(await (await post(REQUEST)).json()).toMatchObject({
      choices: [{ message: { tool_calls: [{ function: { name: "b", arguments: "{half" } }] } }],
    });
  });

  test("garbage is no JSON", async () => {
    server.script({ type: "garbage" });
    await expect((await post(REQUEST)).json()).rejects.toThrow();
  });

  test("a body that is no JSON object is refused and recorded as empty", async () => {
    for (const body of ["{", "[]", "", "null"]) expect((await post(body)).status).toBe(400);
    expect(server.requests.map(({ body, outcome }) => ({ body, outcome }))).toEqual(
      Array.from({ length: 4 }, () => ({ body: {}, outcome: "refused" })),
    );
  });

  test("a body of more than 32 MiB is refused by its size", async () => {
    const response = await post(`{"x":"${"a".repeat(32 * 1024 * 1024)}"}`);
    expect(response.status).toBe(413);
  });

  test("tells the client when to come again", async () => {
    server.script({ type: "error", status: 429, retryAfterSeconds: 7 });
    expect((await post(REQUEST)).headers.get("retry-after")).toBe("7");
  });

  test("a path that is of no wire is not found, and no model request", async () => {
    expect((await fetch(`${server.url}/v2/messages`, { method: "POST", body: "{}" })).status).toBe(404);
    expect((await fetch(`${server.url}/v1/messages`)).status).toBe(404);
    expect(server.requests).toEqual([]);
  });
});

test("a stream that is cut inside a call has half of its arguments, and the calls before it whole", async () => {
  const calls = [1, 2].map((serial) => ({ id: `call_${serial}`, name: "run", input: { command: "rm -rf build" } }));
  server.script({ type: "trail-off", text: "", calls });
  const body = JSON.stringify({ model: "gpt-4.1", messages: [{ role: "user", content: "Hello?" }], stream: true });
  const response = await fetch(`${server.baseUrls.openai}/chat/completions`, { method: "POST", body });
  const told = ["", ""];
  for (const line of (await response.text()).split("\n\n").filter(Boolean)) {
    const [call] = JSON.parse(line.slice("data: ".length)).choices[0].delta.tool_calls ?? [];
    if (call !== undefined) told[call.index] += call.function.arguments;
  }
  expect(told).toEqual(['{"command":"rm -rf build"}', '{"command":"r']);
});

describe("a request is recorded", () => {
  test("with the bytes of its body and its path, query and all", async () => {
    const body = '{ "model":"claude-haiku-4-5","max_tokens":5,\n "messages":[{"role":"user","content":"\\u00e9 é"}]}';
    const headers = { "anthropic-version": "2023-06-01" };
    await fetch(`${server.url}/v1/messages?beta=true&x=%20`, { method: "POST", body, headers });
    expect(server.requests).toMatchObject([
      { rawBody: body, path: "/v1/messages?beta=true&x=%20", outcome: "answered" },
    ]);
  });
});

describe("limits", () => {
  const PATHS: Readonly<Record<ModelWire, string>> = {
    anthropic: "/messages",
    openai: "/chat/completions",
    "openai-responses": "/responses",
    gemini: "/models/gemini-2.5-flash:generateContent",
    deepseek: "/chat/completions",
  };
  const SHAPES: Readonly<Record<ModelWire, object>> = {
    anthropic: { type: "error", error: { type: "request_too_large" } },
    openai: { error: { type: "invalid_request_error" } },
    "openai-responses": { error: { type: "invalid_request_error" } },
    gemini: { error: { code: 413, status: "INVALID_ARGUMENT" } },
    deepseek: { error: { type: "invalid_request_error" } },
  };

  test.each(WIRES)("a body of too many bytes is refused in the shape of %s, and not kept", async (wire) => {
    const small = await startModelServer({ maxBodyBytes: 100 });
    const response = await fetch(small.baseUrls[wire] + PATHS[wire], {
      method: "POST",
      body: JSON.stringify({ x: "a".repeat(100) }),
    });
    const told = await response.json();
    await small.close();
    expect(response.status).toBe(413);
    expect(told).toMatchObject(SHAPES[wire]);
    expect(small.requests).toMatchObject([
      { wire, outcome: "refused", rawBody: "", refusal: expect.stringContaining("100 bytes") },
    ]);
  });

  test("a window may be each model's own", async () => {
    const own = await startModelServer({ contextWindow: (modelId) => (modelId === "gpt-small" ? 10 : 1_000) });
    const client = new OpenAI({ baseURL: own.baseUrls.openai, apiKey: "key", maxRetries: 0, logLevel: "off" });
    const ask = (model: string) =>
      client.chat.completions.create({ model, messages: [{ role: "user", content: "word ".repeat(50) }] });
    await ask("gpt-large");
    await expect(ask("gpt-small")).rejects.toMatchObject({ code: "context_length_exceeded" });
    await own.close();
  });

  test("a window that cannot be right is told, and no network failure", async () => {
    const own = await startModelServer({ contextWindow: () => Number.NaN });
    const { error } = await read(ASK.openai(own));
    await own.close();
    expect(error).toMatchObject({ status: 500, message: expect.stringContaining('contextWindow("gpt-4.1") is NaN') });
  });
});

describe("a probe", () => {
  const get = async (path: string, headers = {}) => (await fetch(server.url + path, { headers })).json();

  test("of the server itself is answered", async () => {
    for (const method of ["HEAD", "GET"]) expect((await fetch(server.url, { method })).status).toBe(200);
  });

  test("of the models gets a short list in the provider's own shape", async () => {
    expect(await get("/v1/models")).toMatchObject({ object: "list", data: [{ object: "model" }, {}] });
    expect(await get("/v1/models", { "anthropic-version": "2023-06-01" })).toMatchObject({
      data: [{ type: "model", id: expect.stringContaining("claude-") }, {}],
      has_more: false,
    });
    expect(await get("/v1beta/models")).toMatchObject({
      models: [{ name: expect.stringContaining("models/gemini-") }, {}],
    });
    expect(await get("/deepseek/models")).toMatchObject({ data: [{ id: "deepseek-chat" }, {}] });
    expect(server.requests).toEqual([]);
  });

  test("of one model finds those that exist", async () => {
    const own = await startModelServer({ models: ["my-model"] });
    const client = new OpenAI({ baseURL: own.baseUrls.openai, apiKey: "key", maxRetries: 0, logLevel: "off" });
    expect(await client.models.retrieve("my-model")).toMatchObject({ id: "my-model" });
    expect((await client.models.list()).data.map(({ id }) => id)).toEqual(["my-model"]);
    await expect(client.models.retrieve("gpt-5")).rejects.toMatchObject({ status: 404 });
    await own.close();
  });
});

describe("closing", () => {
  test("ends a hanging connection", async () => {
    const own = await startModelServer();
    own.script({ type: "hang" });
    const waiting = read(ASK.anthropic(own));
    await arrival(own);
    await own.close();
    expect((await waiting).error).toBeInstanceOf(Error);
  });

  test("may be done twice", async () => {
    const own = await startModelServer();
    await own.close();
    await own.close();
    await expect(fetch(own.url)).rejects.toThrow();
  });
});

describe("a script or an option that cannot be right is refused by name", () => {
  test.each<[string, unknown]>([
    ["reply.type", { type: "sing" }],
    ["reply.text", { type: "text" }],
    ["reply.status", { type: "error", status: 200 }],
    ["reply.status", { type: "late-error", status: 200 }],
    ["reply.opensForMs", { type: "text", text: "x", opensForMs: -1 }],
    ["reply.calls", { type: "tool-calls", calls: [] }],
    ["reply.calls[0].input", { type: "tool-calls", calls: [{ id: "a", name: "b", input: "{}" }] }],
    ["reply.calls[0].rawInput", { type: "tool-calls", calls: [{ id: "a", name: "b", input: {}, rawInput: 1 }] }],
    ["reply.calls", { type: "cut", text: "", calls: [] }],
    ["reply.redactedReasoning", { type: "text", text: "x", redactedReasoning: 1 }],
    ["reply.usage.inputTokens", { type: "text", text: "x", usage: { inputTokens: -1 } }],
  ])("%s", (name, reply) => {
    // @ts-expect-error: a script may come from JavaScript
    expect(() => server.script(reply)).toThrow(
      expect.objectContaining({ code: "invalid-argument", message: expect.stringContaining(`${name} is `) }),
    );
  });

  test.each<[string, object]>([
    ["contextWindow", { contextWindow: 0 }],
    ["reply", { reply: "hello" }],
    ["apiKey", { apiKey: "" }],
    ["models", { models: "gpt-5" }],
    ["maxBodyBytes", { maxBodyBytes: 0 }],
    ["promptCache", { promptCache: "on" }],
  ])("%s", async (name, options) => {
    await expect(startModelServer(options)).rejects.toThrow(`${name} is `);
  });
});

/** A streamed reply as it is on the wire. */
async function streamed({ baseUrls }: ModelServer, wire: ModelWire) {
  const messages = [{ role: "user", content: "Hello?" }];
  const [path, fields] = {
    anthropic: ["messages", { model: "claude-haiku-4-5", max_tokens: 9, messages }] as const,
    openai: ["chat/completions", { model: "gpt-4.1", messages }] as const,
    deepseek: ["chat/completions", { model: "deepseek-chat", messages }] as const,
    "openai-responses": ["responses", { model: "gpt-4.1", input: messages }] as const,
    gemini: [
      "models/gemini-2.5-flash:streamGenerateContent?alt=sse",
      { contents: [{ role: "user", parts: [{ text: "Hello?" }] }] },
    ] as const,
  }[wire];
  const body = JSON.stringify(wire === "gemini" ? fields : { ...fields, stream: true });
  const headers = { "content-type": "application/json", "anthropic-version": "2023-06-01" };
  const reply = await fetch(`${baseUrls[wire]}/${path}`, { method: "POST", headers, body });
  return { status: reply.status, text: await reply.text() };
}

/** Resolves when the server has its first request. */
async function arrival(of: ModelServer = server): Promise<void> {
  while (of.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
}
