import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Message } from "../../core/message/message.ts";
import { type ModelServer, startModelServer } from "../../testing/index.ts";
import { createEngine } from "../create-engine.ts";
import type { Session } from "../session/session.ts";
import { providerCondenser } from "./provider-condenser.ts";

const FACT = "The port of the staging server is 4711.";

let server: ModelServer;

beforeEach(async () => {
  server = await startModelServer();
});

afterEach(() => server.close());

/** A conversation whose first turns are long. */
const talk = (turns: number): Message[] =>
  Array.from({ length: turns }, (_, turn): Message[] => [
    { id: `u${turn}`, role: "user", content: turn === 0 ? FACT : `Go on with step ${turn}.` },
    {
      id: `c${turn}`,
      role: "assistant",
      content: [{ type: "tool_use", id: `toolu_${turn}`, name: "read", input: { path: `${turn}.ts` } }],
    },
    {
      id: `r${turn}`,
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: `toolu_${turn}`, content: `${turn} is a line of code\n`.repeat(150) },
      ],
    },
    { id: `a${turn}`, role: "assistant", content: `Step ${turn} is done.` },
  ]).flat();

const viewOf = async (session: Session) => (await session.view()).map(({ id }) => id);

describe("with Anthropic's client", () => {
  const tools = [{ name: "read", input_schema: { type: "object" as const } }];

  test("the provider's summary takes the place of the oldest turns, and restoring brings them back", async () => {
    const client = new Anthropic({ baseURL: server.url, apiKey: "key", maxRetries: 0, logLevel: "off" });
    const condenser = providerCondenser(client, { model: "claude-opus-4-6" });
    const engine = createEngine({
      model: "claude-opus-4-6",
      condenser,
      configuration: { validation: { enabled: false } },
    });
    const session = await engine.session("task", { messages: talk(6), systemPrompt: "Be brief." });
    await session.append({ id: "last", role: "user", content: "Which port?" });
    const { error, cost, condenseId, modelError } = await session.condense();
    expect(modelError).toBeUndefined();
    expect(error).toBeUndefined();
    expect(cost).toBeGreaterThan(0);
    expect(server.requests[0]?.body.compaction).toEqual({ type: "summarize" });
    expect(await viewOf(session)).toEqual([condenseId, `${condenseId}-0`, "u5", "c5", "r5", "a5", "last"]);
    const ask = async () => {
      const prompt = await session.prepare({ as: "anthropic" });
      const betas = ["compact-2026-09-04" as const];
      return client.beta.messages.create({ ...prompt, tools, model: "claude-opus-4-6", max_tokens: 100, betas });
    };
    await ask();
    expect(server.requests[1]?.body.messages).toHaveLength(6);
    expect(server.requests[1]?.rawBody).toMatch(/"messages":\[\{"role":"assistant","content":\[\{"type":"compaction"/);
    expect((await session.recall("staging server port"))[0]?.text).toContain("4711");
    await session.restore(condenseId ?? "");
    await ask();
    expect(server.requests[2]?.rawBody).toContain("4711");
    expect(server.requests[2]?.rawBody).not.toContain('"compaction"');
    expect(server.requests.map(({ outcome }) => outcome)).toEqual(["answered", "answered", "answered"]);
  });

  test("a summary that keeps what matters passes our validators, and the statement says what it cost", async () => {
    const client = new Anthropic({ baseURL: server.url, apiKey: "key", maxRetries: 0, logLevel: "off" });
    // The scripted model says what it is told to say.
    const told = talk(8).flatMap(({ content }) => (typeof content === "string" ? [content] : []));
    const files = Array.from({ length: 8 }, (_, turn) => `${turn}.ts was read: ${turn} is a line of code`);
    const condenser = providerCondenser(client, {
      model: "claude-opus-4-6",
      instructions: [...told, ...files].join("\n"),
    });
    const session = await createEngine({ model: "claude-opus-4-6", condenser }).session("task", { messages: talk(8) });
    await session.append({ role: "user", content: "Which port?" });
    const { cost, error, modelError, condenseId } = await session.condense();
    expect([error, modelError]).toEqual([undefined, undefined]);
    expect(server.requests).toHaveLength(1);
    const [account, block] = await session.view();
    expect(account).toMatchObject({ id: condenseId, compaction: "provider" });
    expect(JSON.stringify(block?.content)).toContain("4711");
    expect(cost).toBeGreaterThan(0);
    const statement = await session.statement();
    expect(statement).toMatchObject({ condensingUsd: cost, spentUsd: cost, requests: 0 });
    expect(statement.folds).toEqual([expect.objectContaining({ cause: "hand", costUsd: cost })]);
  });

  test("our validators hold for it: a summary that says too little is refused, and another condenser follows", async () => {
    const client = new Anthropic({ baseURL: server.url, apiKey: "key", maxRetries: 0, logLevel: "off" });
    const condenser = providerCondenser(client, { model: "claude-opus-4-6" });
    const session = await createEngine({ model: "claude-opus-4-6", condenser }).session("task", { messages: talk(8) });
    await session.append({ role: "user", content: "Which port?" });
    const result = await session.condense();
    expect(server.requests).toHaveLength(1);
    expect(result.modelError).toContain("refused");
    expect((await session.view()).some(({ compaction }) => compaction !== undefined)).toBe(false);
  });

  test("a provider that fails is a failure of the condenser, and nothing is changed by it", async () => {
    const client = new Anthropic({ baseURL: server.url, apiKey: "key", maxRetries: 0, logLevel: "off" });
    const condenser = providerCondenser(client, { model: "nobody" });
    const session = await createEngine({ model: "claude-opus-4-6", condenser }).session("task", { messages: talk(4) });
    await session.append({ role: "user", content: "Which port?" });
    expect((await session.condense()).modelError).toContain("404");
  });
});

describe("with OpenAI's client", () => {
  test("the provider's window takes the place of the oldest turns, and restoring brings them back", async () => {
    const client = new OpenAI({ baseURL: server.baseUrls.openai, apiKey: "key", maxRetries: 0, logLevel: "off" });
    const condenser = providerCondenser(client, { model: "gpt-5.4" });
    const session = await createEngine({ model: "gpt-5.4", condenser }).session("task", { messages: talk(6) });
    await session.append({ id: "last", role: "user", content: "Which port?" });
    const { error, condenseId, cost } = await session.condense();
    expect(error).toBeUndefined();
    expect(cost).toBeGreaterThan(0);
    expect(await session.statement()).toMatchObject({ condensingUsd: cost, spentUsd: cost });
    const [account, ...window] = await session.view();
    expect(account?.compaction).toBe("provider");
    expect(window.filter(({ isRetained }) => isRetained === true)).toHaveLength(5);
    const ask = async () =>
      client.responses.create({
        ...(await session.prepare({ as: "openai-responses" })),
        model: "gpt-5.4",
        store: false,
      });
    await ask();
    expect(server.requests[1]?.rawBody).toContain('"compaction"');
    await session.restore(condenseId ?? "");
    await ask();
    expect(server.requests[2]?.rawBody).toContain("1 is a line of code");
    expect(server.requests[2]?.rawBody).not.toContain('"compaction"');
    expect(server.requests.map(({ outcome }) => outcome)).toEqual(["answered", "answered", "answered"]);
  });
});

test.each([
  [{}, { model: "gpt-5.4" }],
  [{ responses: { compact: async () => ({}) } }, { model: "" }],
])("refuses what is no client, and no model", (client, options) => {
  expect(() => Reflect.apply(providerCondenser, undefined, [client, options])).toThrow(
    expect.objectContaining({ code: "invalid-argument" }),
  );
});
