/** `/palimpsest/mcp` of a gateway, with the official client over HTTP, beside an agent whose requests go through it. */
import Anthropic from "@anthropic-ai/sdk";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import OpenAI from "openai";
import { describe, expect, onTestFinished, test } from "vitest";
import type { GatewayOptions } from "../../src/gateway/index.ts";
import { toAnthropic, toOpenAiChat } from "../../src/messages/index.ts";
import { memoryStore } from "../../src/stores/memory/index.ts";
import { startWorld } from "../support/gateway-world.ts";
import { HIDDEN_FACT, QUERY, replyFromPrompt, talkWithFact } from "../support/hidden-fact.ts";

const WINDOW = 8_000;
const MODEL = "claude-haiku-4-5";

/** A gateway without a ledger, which would quote the fact. */
const startFolding = (options: Pick<Partial<GatewayOptions>, "token" | "store"> = {}) =>
  startWorld({
    server: { contextWindow: WINDOW, reply: replyFromPrompt },
    gateway: { ...options, windows: { all: WINDOW }, configuration: { strategies: { primary: "truncation" } } },
  });

interface ConnectOptions {
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Of a client of 2025: the official one speaks both. */
  readonly isLegacy?: boolean;
}

async function connect(
  url: string,
  { query = "", headers = {}, isLegacy = false }: ConnectOptions = {},
): Promise<Client> {
  const mode = isLegacy ? "legacy" : { pin: "2026-07-28" };
  const client = new Client({ name: "test", version: "1.0.0" }, { versionNegotiation: { mode } });
  onTestFinished(() => client.close());
  const address = new URL(`${url}/palimpsest/mcp${query}`);
  await client.connect(new StreamableHTTPClientTransport(address, { requestInit: { headers } }));
  return client;
}

async function callText(client: Client, name: string, args: Record<string, unknown>): Promise<string> {
  const { content } = await client.callTool({ name, arguments: args });
  return content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
}

/** An agent that keeps all of its history and calls tools of an MCP server; gives what it said in the end. */
async function runAgent(url: string, sessionId: string, mcp: Client): Promise<string> {
  const anthropic = new Anthropic({
    baseURL: url,
    apiKey: "key",
    maxRetries: 0,
    defaultHeaders: { "x-palimpsest-session": sessionId },
  });
  const listed = await mcp.listTools();
  const tools = listed.tools.map(({ name, description = "", inputSchema }): Anthropic.Tool => {
    const { properties = {}, required = [] } = inputSchema;
    return { name, description, input_schema: { type: "object", properties, required } };
  });
  const history: Anthropic.MessageParam[] = [...toAnthropic(talkWithFact()).messages];
  for (let turn = 0; turn < 4; turn++) {
    const { content } = await anthropic.messages.create({ model: MODEL, max_tokens: 500, tools, messages: history });
    history.push({ role: "assistant", content });
    const calls = content.filter((block) => block.type === "tool_use");
    if (calls.length === 0) return content.map((block) => (block.type === "text" ? block.text : "")).join("");
    const results = await Promise.all(
      calls.map(async ({ id, name, input }) => ({
        type: "tool_result" as const,
        tool_use_id: id,
        content: await callText(mcp, name, { ...Object(input) }),
      })),
    );
    history.push({ role: "user", content: results });
  }
  throw new Error("The agent never answered.");
}

describe.each([
  ["2026", false],
  ["2025", true],
])("a client of %s", (_, isLegacy) => {
  test("an agent answers from what is hidden of its own conversation, without naming it", async () => {
    const { gateway, server, incidents } = await startFolding();
    const mcp = await connect(gateway.url, { isLegacy });
    expect(await runAgent(gateway.url, "pumps", mcp)).toBe(`It is ${HIDDEN_FACT}.`);
    expect(server.requests.map(({ outcome, rawBody }) => [outcome, rawBody.includes(HIDDEN_FACT)])).toEqual([
      ["answered", false],
      ["answered", true],
    ]);
    expect(incidents).toEqual([]);
  });
});

test("a fold that is named tells which of several conversations asks", async () => {
  const { gateway } = await startFolding();
  const mcp = await connect(gateway.url);
  await runAgent(gateway.url, "pumps", mcp);
  const [fold] = await (await gateway.engine.session("pumps")).folds();
  const anthropic = new Anthropic({ baseURL: gateway.url, apiKey: "key", maxRetries: 0 });
  await anthropic.messages.create({
    model: MODEL,
    max_tokens: 50,
    tools: [{ name: "recall", input_schema: { type: "object" } }],
    messages: [{ role: "user", content: "Another agent begins." }],
  });
  expect(await callText(mcp, "recall", { query: QUERY })).toContain("Nothing of this conversation is hidden.");
  expect(await callText(mcp, "recall", { id: fold?.foldId })).toContain("<recalled_excerpt");
  const standIn = `[3 earlier messages hidden in fold ${fold?.foldId}]`;
  for (const call of [{ query: fold?.foldId }, { query: standIn }, { id: standIn }]) {
    expect(await callText(mcp, "recall", call)).toContain("<recalled_excerpt");
  }
  expect(await callText(mcp, "recall", { session: "pumps", query: QUERY })).toContain(HIDDEN_FACT);
});

test("sub-agents that run at once each find what is hidden from them, and from the agent that started them", async () => {
  const { gateway, server, incidents } = await startFolding();
  const mcp = await connect(gateway.url);
  const facts = { main: "AX-1001", one: "BX-2002", two: "CX-3003" } as const;
  const talkOf = (agent: keyof typeof facts) => {
    const headers = {
      "x-claude-code-session-id": "parent",
      ...(agent === "main" ? {} : { "x-claude-code-agent-id": agent }),
    };
    const anthropic = new Anthropic({ baseURL: gateway.url, apiKey: "key", maxRetries: 0, defaultHeaders: headers });
    const told = JSON.stringify(toAnthropic(talkWithFact()).messages);
    const messages: Anthropic.MessageParam[] = JSON.parse(
      told
        .replaceAll(HIDDEN_FACT, facts[agent])
        .replaceAll("call_", `call_${agent}_`)
        .replaceAll("toolu_", `toolu_${agent}_`),
    );
    const tools = [{ name: "recall", input_schema: { type: "object" as const } }];
    return async (word: string) => {
      messages.push({ role: "assistant", content: "I see." }, { role: "user", content: `${agent}: ${word}` });
      await anthropic.messages.create({ model: MODEL, max_tokens: 50, tools, messages });
    };
  };
  const [main, one, two] = [talkOf("main"), talkOf("one"), talkOf("two")];
  await main("Start both.");
  for (const word of ["Begin.", "Go on."]) {
    await Promise.all([one(word), two(word)]);
    const found = await callText(mcp, "recall", { query: QUERY });
    for (const fact of Object.values(facts)) expect(found).toContain(fact);
    expect(found).not.toContain("Nothing of this conversation is hidden.");
    // One that is named is searched alone.
    const named = await callText(mcp, "recall", { session: "claude-code:parent/one", query: QUERY });
    expect(named).toContain(facts.one);
    expect(named).not.toContain(facts.two);
  }
  const stranger = new Anthropic({ baseURL: gateway.url, apiKey: "key", maxRetries: 0 });
  const tools = [{ name: "recall", input_schema: { type: "object" as const } }];
  await stranger.messages.create({
    model: MODEL,
    max_tokens: 50,
    tools,
    messages: [{ role: "user", content: "Hello." }],
  });
  expect(await callText(mcp, "recall", { query: QUERY })).toContain("Nothing of this conversation is hidden.");
  expect(server.requests.map(({ outcome }) => outcome)).not.toContain("refused");
  expect(incidents).toEqual([]);
});

test("conversations that only share a key for caches find nothing of each other", async () => {
  const { gateway, incidents } = await startFolding();
  const mcp = await connect(gateway.url);
  const openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: "key", maxRetries: 0 });
  const ask = (messages: readonly OpenAI.ChatCompletionMessageParam[]) =>
    openai.chat.completions.create({
      model: "gpt-4o",
      max_tokens: 50,
      prompt_cache_key: "app",
      tools: [{ type: "function", function: { name: "recall", parameters: { type: "object" } } }],
      messages: [...messages],
    });
  await ask(toOpenAiChat(talkWithFact()).messages);
  expect(await callText(mcp, "recall", { query: QUERY })).toContain(HIDDEN_FACT);
  await ask([{ role: "user", content: "Hello, this is Bob." }]);
  const found = await callText(mcp, "recall", { query: QUERY });
  expect(found).not.toContain(HIDDEN_FACT);
  expect(found).toContain("Nothing of this conversation is hidden.");
  expect(incidents).toEqual([]);
});

test("a damaged session of a sub-agent leaves the others of its family found", async () => {
  const store = memoryStore();
  const { gateway } = await startFolding({ store });
  const mcp = await connect(gateway.url);
  const say = (content: Anthropic.MessageParam[], agent?: string) =>
    new Anthropic({ baseURL: gateway.url, apiKey: "key", maxRetries: 0 }).messages.create(
      {
        model: MODEL,
        max_tokens: 50,
        tools: [{ name: "recall", input_schema: { type: "object" } }],
        messages: content,
      },
      { headers: { "x-claude-code-session-id": "parent", ...(agent && { "x-claude-code-agent-id": agent }) } },
    );
  const { key } = await store.open("claude-code:parent/damaged");
  await store.append(key, [{ body: "no record" }]);
  await say([{ role: "user", content: "Look around." }], "damaged");
  await say([...toAnthropic(talkWithFact()).messages]);
  await say([{ role: "user", content: "Look there." }], "healthy");
  expect(await callText(mcp, "recall", { query: QUERY })).toContain(HIDDEN_FACT);
});

test("what the agent's own compaction took out of its history is found too", async () => {
  const { gateway } = await startFolding();
  const mcp = await connect(gateway.url);
  await runAgent(gateway.url, "pumps", mcp);
  const anthropic = new Anthropic({ baseURL: gateway.url, apiKey: "key", maxRetries: 0 });
  await anthropic.messages.create(
    {
      model: MODEL,
      max_tokens: 50,
      tools: [{ name: "recall", input_schema: { type: "object" } }],
      messages: [{ role: "user", content: "All pumps and halls were looked after. Go on from there." }],
    },
    { headers: { "x-palimpsest-session": "pumps" } },
  );
  const found = await callText(mcp, "recall", { query: QUERY });
  expect(found).toContain(HIDDEN_FACT);
  expect(found).toMatch(/<recalled_excerpt session="pumps[^"]*" message="/);
  // What is read by an id is that, and nothing else.
  expect(await callText(mcp, "expand", { id: "nowhere" })).not.toContain(HIDDEN_FACT);
});

test("?session= serves that session alone", async () => {
  const { gateway } = await startFolding();
  await runAgent(gateway.url, "pumps", await connect(gateway.url));
  const mcp = await connect(gateway.url, { query: "?session=pumps" });
  expect(await callText(mcp, "recall", { query: QUERY })).toContain(HIDDEN_FACT);
  expect(await callText(mcp, "context_usage", {})).toContain("of 8,000 tokens");
  expect(JSON.stringify(await mcp.listTools())).not.toContain('"session":');
  const other = await connect(gateway.url, { query: "?session=none" });
  expect(await callText(other, "recall", { query: QUERY })).toBe(
    'There is no session "none". This server serves no other.',
  );
});

test("what changes a session is published as by the API", async () => {
  const { gateway } = await startFolding();
  const mcp = await connect(gateway.url);
  await runAgent(gateway.url, "pumps", mcp);
  const changes: string[] = [];
  gateway.activity.listen((each) => {
    if (each.type === "session") changes.push(`${each.sessionId} ${each.change}`);
  });
  const log = await (await gateway.engine.session("pumps")).log();
  await callText(mcp, "pin", { message: log.at(-1)?.id });
  expect(changes).toEqual(["pumps updated"]);
});

describe("who may ask is checked as for the API", () => {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} });
  const post = (url: string, headers: Readonly<Record<string, string>> = {}) =>
    fetch(`${url}/palimpsest/mcp`, {
      method: "POST",
      body,
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
    });

  test("a page of another site is refused", async () => {
    const { gateway } = await startFolding();
    expect((await post(gateway.url, { origin: "https://elsewhere.example" })).status).toBe(403);
    expect((await post(gateway.url, { "sec-fetch-site": "cross-site" })).status).toBe(403);
    expect((await post(gateway.url, { "content-type": "text/plain" })).status).toBe(415);
    expect((await post(gateway.url)).status).toBe(200);
  });

  test("the token is demanded, as a bearer too", async () => {
    const token = "a token of enough length";
    const { gateway } = await startFolding({ token: encodeURIComponent(token) });
    expect((await post(gateway.url)).status).toBe(401);
    expect((await post(gateway.url, { "x-palimpsest-token": encodeURIComponent(token) })).status).toBe(200);
    const mcp = await connect(gateway.url, { headers: { authorization: `Bearer ${encodeURIComponent(token)}` } });
    expect((await mcp.listTools()).tools).toHaveLength(6);
  });

  test("a body of more than a megabyte is refused", async () => {
    const { gateway } = await startFolding();
    const response = await fetch(`${gateway.url}/palimpsest/mcp`, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: { pad: "x".repeat(1_100_000) } }),
    });
    expect(response.status).toBe(413);
  });
});
