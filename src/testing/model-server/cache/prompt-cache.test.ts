import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { cachedShare, type ModelServer, type ModelWire, startModelServer } from "../../index.ts";

/** What a turn says; those of the user and those of the assistant alternate. */
type Talk = readonly string[];

interface Wire {
  readonly wire: ModelWire;
  /** The steps in which the provider caches. */
  readonly stepTokens: number;
  readonly otherModel: string;
  /** Sends the talk and says how many cached tokens are reported. */
  ask(server: ModelServer, talk: Talk, model?: string): Promise<number | undefined>;
}

const TOOL = "A tool that reads files.";

const chatOf = (talk: Talk) =>
  talk.map((content, index) => ({ role: index % 2 === 0 ? ("user" as const) : ("assistant" as const), content }));

function clientOf(server: ModelServer, wire: "openai" | "openai-responses" | "deepseek"): OpenAI {
  return new OpenAI({ baseURL: server.baseUrls[wire], apiKey: "key", maxRetries: 0, logLevel: "off" });
}

const askChat = (wire: "openai" | "deepseek", usual: string) =>
  async function ask(server: ModelServer, talk: Talk, model = usual) {
    const messages = [{ role: "system" as const, content: "Be brief." }, ...chatOf(talk)];
    const tools = [{ type: "function" as const, function: { name: "read", description: TOOL } }];
    const { usage } = await clientOf(server, wire).chat.completions.create({ model, messages, tools });
    return usage?.prompt_tokens_details?.cached_tokens;
  };

const PREFIX_WIRES: readonly Wire[] = [
  { wire: "openai", stepTokens: 128, otherModel: "gpt-5", ask: askChat("openai", "gpt-4.1") },
  { wire: "deepseek", stepTokens: 128, otherModel: "deepseek-v4", ask: askChat("deepseek", "deepseek-chat") },
  {
    wire: "openai-responses",
    stepTokens: 128,
    otherModel: "gpt-5",
    async ask(server, talk, model = "gpt-4.1") {
      const tools = [{ type: "function" as const, name: "read", description: TOOL, parameters: {}, strict: false }];
      const request = { model, instructions: "Be brief.", input: chatOf(talk), tools };
      const { usage } = await clientOf(server, "openai-responses").responses.create(request);
      return usage?.input_tokens_details.cached_tokens;
    },
  },
  {
    wire: "gemini",
    stepTokens: 1,
    otherModel: "gemini-2.5-pro",
    async ask(server, talk, model = "gemini-2.5-flash") {
      const client = new GoogleGenAI({ apiKey: "key", httpOptions: { baseUrl: server.url } });
      const contents = chatOf(talk).map(({ role, content }) => ({
        role: role === "user" ? "user" : "model",
        parts: [{ text: content }],
      }));
      const { usageMetadata } = await client.models.generateContent({ model, contents });
      return usageMetadata?.cachedContentTokenCount ?? 0;
    },
  },
];

/** Turns of 500 tokens each. */
const turn = (name: string) => `${name}: ${"word ".repeat(498)}`;
const TALK = ["a", "b", "c", "d", "e"].map(turn);

let server: ModelServer;

beforeEach(async () => {
  server = await startModelServer({ promptCache: true });
});

afterEach(() => server.close());

const breaks = () => server.requests.map(({ cache }) => cache?.isBreak);

/** What OpenAI would cache of so many tokens. */
const inSteps = (tokens: number, stepTokens: number) => 1_024 + Math.floor((tokens - 1_024) / stepTokens) * stepTokens;

describe.each(PREFIX_WIRES)("on $wire", ({ ask, stepTokens, otherModel }) => {
  test("a turn that is appended reads all of the request before it", async () => {
    expect(await ask(server, TALK.slice(0, 3))).toBe(0);
    const before = server.requests[0]?.promptTokens ?? 0;
    const read = await ask(server, TALK);
    expect(read).toBe(inSteps(before, stepTokens));
    expect(read).toBeGreaterThan(1_400);
    expect(server.requests.map(({ cache }) => cache)).toEqual([
      { readTokens: 0, writeTokens: 0, isBreak: false },
      { readTokens: read, writeTokens: 0, isBreak: false },
    ]);
  });

  test("a message that changed is one break, and what is appended then is none", async () => {
    await ask(server, TALK.slice(0, 3));
    const edited = TALK.map((said, index) => (index === 2 ? turn("other") : said));
    await ask(server, edited);
    await ask(server, [...edited, turn("f"), turn("g")]);
    expect(breaks()).toEqual([false, true, false]);
    expect(server.requests[1]?.cache?.readTokens).toBeLessThan(1_100);
  });

  test("nothing is cached below 1,024 tokens, nor for another model", async () => {
    await ask(server, TALK.slice(0, 1));
    await ask(server, TALK.slice(0, 1));
    await ask(server, TALK);
    await ask(server, TALK, otherModel);
    expect(server.requests.map(({ cache }) => cache?.readTokens)).toEqual([0, 0, 0, 0]);
  });
});

describe("on anthropic", () => {
  const mark = { cache_control: { type: "ephemeral" as const } };
  const tools = [{ name: "read", description: TOOL, input_schema: { type: "object" as const } }];

  /** Marks the last message as an array of blocks; the others are strings. */
  async function ask(talk: Talk, { isMarked = true, ...extra }: { isMarked?: boolean; system?: string } = {}) {
    const client = new Anthropic({ baseURL: server.url, apiKey: "key", maxRetries: 0, logLevel: "off" });
    const messages: Anthropic.MessageParam[] = chatOf(talk).map(({ role, content }, index) => ({
      role,
      content: isMarked && index === talk.length - 1 ? [{ type: "text", text: content, ...mark }] : content,
    }));
    const request = { model: "claude-haiku-4-5", max_tokens: 100, system: "Be brief.", tools, messages, ...extra };
    const { usage } = await client.messages.create(request);
    return [usage.cache_read_input_tokens, usage.cache_creation_input_tokens, usage.input_tokens];
  }

  test("reads up to the mark of the request before, although it moved, and writes the rest up to its own", async () => {
    const first = await ask(TALK.slice(0, 3));
    const second = await ask(TALK);
    const [before = 0, after = 0] = server.requests.map(({ promptTokens }) => promptTokens);
    expect(first).toEqual([0, before, 0]);
    expect(second).toEqual([before, after - before, 0]);
    expect(server.requests[1]?.cache).toEqual({ readTokens: before, writeTokens: after - before, isBreak: false });
  });

  test("an old message that changed is one break, and what is appended then is none", async () => {
    await ask(TALK.slice(0, 3));
    const edited = TALK.map((said, index) => (index === 1 ? turn("other") : said));
    await ask(edited);
    await ask([...edited, turn("f"), turn("g")]);
    expect(breaks()).toEqual([false, true, false]);
  });

  test("a system prompt that changed loses everything", async () => {
    await ask(TALK);
    const [read] = await ask(TALK, { system: "Be long." });
    expect(read).toBe(0);
    expect(breaks()).toEqual([false, true]);
  });

  test("the line in which an agent names itself is no part of the prompt", async () => {
    const system = (hash: string) => `x-anthropic-billing-header: cc_version=2.1; cch=${hash};\nBe brief.`;
    await ask(TALK.slice(0, 3), { system: system("a1") });
    await ask(TALK, { system: system("b2") });
    expect(breaks()).toEqual([false, false]);
    expect(server.requests[1]?.cache?.readTokens).toBeGreaterThan(1_400);
  });

  test("a request without marks reads and writes nothing", async () => {
    await ask(TALK.slice(0, 3));
    const [read, written] = await ask(TALK, { isMarked: false });
    expect([read, written]).toEqual([0, 0]);
    expect(breaks()).toEqual([false, true]);
  });

  test("a mark finds no earlier one that is too far away", async () => {
    const appended = (count: number) => [
      ...TALK.slice(0, 3),
      ...Array.from({ length: count }, (_, index) => turn(`${index}`)),
    ];
    const [, written] = await ask(TALK.slice(0, 3));
    expect((await ask(appended(20)))[0]).toBe(0);
    expect((await ask(appended(18)))[0]).toBe(written);
  });

  test("a beginning that is sent again breaks nothing", async () => {
    await ask(TALK);
    await ask(TALK.slice(0, 3));
    expect(breaks()).toEqual([false, false]);
  });
});

describe("the cache", () => {
  const { ask } = PREFIX_WIRES[0] ?? { ask: () => Promise.resolve(0) };

  test("has no say where it is off", async () => {
    const off = await startModelServer();
    await ask(off, TALK);
    expect(await ask(off, TALK)).toBe(0);
    await off.close();
    expect(off.requests.map(({ cache }) => cache)).toEqual([undefined, undefined]);
    expect(cachedShare(off.requests)).toBe(0);
  });

  test("gives way to numbers of the script, and still tells what it found", async () => {
    await ask(server, TALK);
    server.script({ type: "text", text: "x", usage: { cacheReadTokens: 7 } });
    expect(await ask(server, TALK)).toBe(7);
    expect(server.requests[1]?.cache?.readTokens).toBeGreaterThan(2_000);
  });

  test("is asked before the reply, which may depend on it", async () => {
    const own = await startModelServer({
      promptCache: true,
      reply: ({ cache }) => ({ type: "text", text: String(cache?.readTokens) }),
    });
    await ask(own, TALK);
    await ask(own, TALK);
    await own.close();
    expect(own.requests[1]?.cache?.readTokens).toBeGreaterThan(2_000);
  });

  test("keeps nothing of a request that failed", async () => {
    server.script({ type: "error", status: 500 });
    await expect(ask(server, TALK)).rejects.toThrow();
    expect(await ask(server, TALK)).toBe(0);
    expect(server.requests[0]).not.toHaveProperty("cache");
  });

  test("takes a request without tools for no part of the conversation with them", async () => {
    await ask(server, TALK);
    const client = clientOf(server, "openai");
    await client.chat.completions.create({ model: "gpt-4.1", messages: chatOf(TALK.slice(0, 1)) });
    await ask(server, [...TALK, turn("f"), turn("g")]);
    expect(breaks()).toEqual([false, false, false]);
  });

  test("is measured by the share of all prompts that was read from it", async () => {
    await ask(server, TALK);
    await ask(server, TALK);
    const [first, second] = server.requests;
    const all = (first?.promptTokens ?? 0) + (second?.promptTokens ?? 0);
    expect(cachedShare(server.requests)).toBeCloseTo((second?.cache?.readTokens ?? 0) / all, 10);
    expect(cachedShare(server.requests)).toBeGreaterThan(0.45);
  });
});

test("a conversation of many turns is read from the cache for the most part", async () => {
  const { ask } = PREFIX_WIRES[0] ?? { ask: () => Promise.resolve(0) };
  const talk = [turn("first")];
  for (let count = 0; count < 20; count += 1) {
    await ask(server, talk);
    talk.push(turn(`answer ${count}`), turn(`question ${count}`));
  }
  expect(breaks()).toEqual(Array.from({ length: 20 }, () => false));
  expect(cachedShare(server.requests)).toBeGreaterThan(0.8);
});
