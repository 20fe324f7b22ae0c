import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { startWorld } from "../../test/support/gateway-world.ts";
import type { RequestRecord } from "../core/statement/request-record.ts";
import { memoryStore } from "../stores/memory/index.ts";
import type { ScriptedReply } from "../testing/index.ts";
import type { CacheOptions } from "./gateway.ts";

const DONE: ScriptedReply = { type: "text", text: "Done." };
const READ = { name: "read", input_schema: { type: "object" as const } };
const WRITE = { ...READ, name: "write" };

async function startPair(cache: CacheOptions | undefined, window = 200_000) {
  const store = memoryStore();
  const world = await startWorld({
    server: { reply: () => DONE, contextWindow: window },
    gateway: { store, cache, windows: { all: window } },
  });
  const client = { apiKey: "key", maxRetries: 0, logLevel: "off" } as const;
  const records = async (): Promise<readonly RequestRecord[]> => {
    const [only] = (await store.list({})).map(({ id }) => id);
    const events = await (await world.gateway.engine.session(only ?? "")).events();
    return events.flatMap((event) => (event.type === "request" ? [event] : []));
  };
  return {
    ...world,
    records,
    anthropic: new Anthropic({ baseURL: world.url(), ...client }),
    openai: new OpenAI({ baseURL: `${world.url()}/v1`, ...client }),
  };
}

const talk = (turns: number): Anthropic.MessageParam[] =>
  Array.from({ length: 2 * turns + 1 }, (_, at) => ({
    role: at % 2 === 0 ? "user" : "assistant",
    content: `${at}: ${"word ".repeat(200)}`,
  }));

describe("with Anthropic", () => {
  const request = { model: "claude-haiku-4-5", max_tokens: 100, tools: [READ] };

  test.each(["whole", "streamed"])("the provider's reason stands beside our own: %s", async (how) => {
    const pair = await startPair({ diagnosis: true });
    const send = (fields: object, turns: number) => {
      const body = { ...request, messages: talk(turns), ...fields };
      return how === "whole"
        ? pair.anthropic.messages.create(body)
        : pair.anthropic.messages.stream(body).finalMessage();
    };
    await send({}, 1);
    await send({}, 2);
    await send({ tools: [READ, WRITE] }, 3);
    const asked = pair.server.requests.map(({ body }) => body.diagnostics);
    expect(asked).toEqual([null, "msg_000001", "msg_000002"].map((id) => ({ previous_message_id: id })));
    const [first, second, third] = await pair.records();
    expect([first?.cacheDiagnosis, second?.cacheDiagnosis]).toEqual([undefined, undefined]);
    const predicted = { part: "tools", cause: "agent", byte: expect.any(Number) };
    const provider = { reason: "tools_changed", missedTokens: expect.any(Number) };
    expect(third?.cacheDiagnosis).toEqual({ provider, predicted });
    const sent = pair.server.requests[2]?.rawBody ?? "";
    const byte = third?.cacheDiagnosis?.predicted?.byte ?? 0;
    expect(Buffer.from(sent).subarray(byte).toString()).toMatch(/^,\{"name":"write"/);
    expect(pair.incidents).toEqual([]);
  });

  test("a fold is named as ours", async () => {
    const pair = await startPair({ diagnosis: true }, 6_000);
    for (let turns = 1; turns <= 20; turns++) {
      await pair.anthropic.messages.create({ ...request, messages: talk(turns) });
    }
    const folded = (await pair.records()).filter(({ foldIds }) => foldIds.length > 0);
    expect(folded.length).toBeGreaterThan(0);
    for (const { cacheDiagnosis } of folded) {
      expect(cacheDiagnosis).toMatchObject({
        provider: { reason: "messages_changed" },
        predicted: { part: "messages", cause: "gateway" },
      });
    }
    const { cacheMisses } = await pair.gateway.engine.statement();
    expect(cacheMisses).toMatchObject([{ reason: "messages_changed", byGateway: folded.length, byAgent: 0 }]);
    expect(pair.server.requests.map(({ outcome }) => outcome)).not.toContain("refused");
  });

  test("an agent that asks by itself is asked nothing else, and without the option nothing changes", async () => {
    const asking = await startPair({ diagnosis: true });
    const diagnostics = { previous_message_id: null };
    await asking.anthropic.messages.create({ ...request, messages: talk(1), diagnostics });
    const off = await startPair(undefined);
    await off.anthropic.messages.create({ ...request, messages: talk(1) });
    for (const { server, sent } of [asking, off]) expect(server.requests[0]?.rawBody).toBe(sent[0]?.body);
  });
});

describe("with OpenAI", () => {
  const input = (turns: number): OpenAI.Responses.ResponseInputItem[] =>
    talk(turns).map(({ role, content }) => ({ role, content: String(content) }));

  test("the provider's reason stands beside our own", async () => {
    const pair = await startPair({ diagnosis: true });
    const send = (turns: number, fields: object = {}) =>
      pair.openai.responses.create({ model: "gpt-5.6-sol", store: false, input: input(turns), ...fields });
    await send(1);
    await send(2, { prompt_cache_options: { ttl: "30m" } });
    await send(3, { tools: [{ type: "function", name: "read", parameters: {}, strict: false }] });
    expect(pair.server.requests.map(({ body }) => body.prompt_cache_options)).toEqual([
      undefined,
      { ttl: "30m", comparison_response_id: "resp_000001" },
      { comparison_response_id: "resp_000002" },
    ]);
    expect((await pair.records()).map(({ cacheDiagnosis }) => cacheDiagnosis)).toEqual([
      undefined,
      undefined,
      {
        provider: { reason: "tools_changed", missedTokens: expect.any(Number) },
        predicted: { part: "tools", cause: "agent", byte: expect.any(Number) },
      },
    ]);
  });

  test("models that refuse it are not asked", async () => {
    const pair = await startPair({ diagnosis: true });
    for (const turns of [1, 2])
      await pair.openai.responses.create({ model: "gpt-5.4", store: false, input: input(turns) });
    expect(pair.server.requests.map(({ rawBody }) => rawBody)).toEqual(pair.sent.map(({ body }) => body));
  });
});
