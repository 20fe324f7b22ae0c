/** What needs no folding reaches the upstream as the client sent it; of what is folded, all the rest does. */
import { describe, expect, test } from "vitest";
import { anthropicClient, openAnthropic } from "../support/gateway-anthropic-client.ts";
import { openaiClient } from "../support/gateway-chat-client.ts";
import { API_KEY } from "../support/gateway-client.ts";
import { geminiClient } from "../support/gateway-gemini-client.ts";
import { invalidRequests } from "../support/gateway-script.ts";
import { listSessions, SDK_KINDS, work } from "../support/gateway-sessions.ts";
import { compareItems, sliceBody, withoutMarks } from "../support/gateway-slices.ts";
import { type GatewayWorld, startWorld } from "../support/gateway-world.ts";

/** Of one connection, and so not the client's to set. */
const OF_THE_CONNECTION: ReadonlySet<string> = new Set(["host", "connection"]);

const READ = { name: "Read", input_schema: { type: "object" } };

function endToEnd(headers: object): readonly (readonly [string, unknown])[] {
  return Object.entries(headers)
    .filter(([name]) => !OF_THE_CONNECTION.has(name))
    .toSorted(([one], [other]) => one.localeCompare(other));
}

function expectUntouched({ sent, server }: GatewayWorld): void {
  expect(server.requests.map(({ path }) => path)).toEqual(sent.map(({ path }) => path));
  for (const [index, { body, headers }] of sent.entries()) {
    expect(server.requests[index]?.rawBody === body).toBe(true);
    expect(endToEnd(server.requests[index]?.headers ?? {})).toEqual(endToEnd(headers));
  }
}

describe.each(SDK_KINDS)("$name", ({ open, field, api }) => {
  test("a session that fits goes upstream byte for byte, with all of its headers", async () => {
    const world = await startWorld();
    const client = open({ url: world.url, headers: { "x-of-mine": "A, b;  c" } });
    client.say("Read all files: 你好, “quoted” \\ and \u2028 too.");
    await work(client, { name: "fits", turns: 12 });
    expect(world.server.requests).toHaveLength(12);
    expectUntouched(world);
    const { headers } = world.server.requests.at(-1) ?? {};
    const keys = [headers?.authorization, headers?.["x-api-key"], headers?.["x-goog-api-key"]].join(" ");
    expect(keys).toContain(API_KEY);
    expect(world.turns.every(({ tokensIn, tokensSent }) => tokensIn === tokensSent)).toBe(true);
  });

  test("of a folded request, every item that is not folded and all around the items is byte for byte the client's, but for marks for the cache", async () => {
    const window = 14_000;
    const world = await startWorld({ server: { contextWindow: window }, gateway: { windows: { all: window } } });
    const client = open({ url: world.url });
    client.say("Read all files.");
    await work(client, { name: "folded", turns: 30 });
    expect(invalidRequests(world.server)).toEqual([]);
    let foldedRequests = 0;
    for (const [index, { body }] of world.sent.entries()) {
      const upstream = world.server.requests[index]?.rawBody ?? "";
      if (upstream === body) continue;
      foldedRequests += 1;
      const [own, sent] = [sliceBody(body, field), sliceBody(withoutMarks(upstream, body), field)];
      expect([sent.before, sent.after]).toEqual([own.before, own.after]);
      const { kept, folded, strange } = compareItems(sent, own);
      expect(strange, `${api} request ${index}`).toEqual([]);
      expect(folded.length).toBeGreaterThan(0);
      // what the tools said last is what the model must see
      expect(kept.at(-1)).toBe(own.items.at(-1));
    }
    expect(foldedRequests).toBeGreaterThan(10);
  });
});

describe("beside conversations", () => {
  test("?beta=true and anthropic-beta stay", async () => {
    const world = await startWorld();
    const client = anthropicClient({ url: world.url });
    const request = {
      model: "claude-haiku-4-5",
      max_tokens: 100,
      betas: ["context-management-2025-06-27", "interleaved-thinking-2025-05-14"],
      context_management: { edits: [] },
      messages: [{ role: "user" as const, content: "Hello." }],
    };
    await client.beta.messages.create(request, { query: { beta: true } });
    expect(world.server.requests[0]).toMatchObject({
      path: "/v1/messages?beta=true",
      outcome: "answered",
      headers: { "anthropic-beta": "context-management-2025-06-27,interleaved-thinking-2025-05-14" },
    });
    expectUntouched(world);
  });

  test("tokens are counted by the upstream", async () => {
    const world = await startWorld();
    const { url, server } = world;
    const messages = [{ role: "user" as const, content: "How long is this?" }];
    const anthropic = anthropicClient({ url });
    const counted = await anthropic.messages.countTokens({ model: "claude-haiku-4-5", messages });
    const inBeta = await anthropic.beta.messages.countTokens({ model: "claude-haiku-4-5", messages });
    const responses = await openaiClient({ url }).responses.inputTokens.count({ model: "gpt-5.1", input: "How long?" });
    const gemini = await geminiClient({ url }).models.countTokens({ model: "gemini-2.5-flash", contents: "How long?" });
    expect([counted.input_tokens, inBeta.input_tokens, responses.input_tokens, gemini.totalTokens]).toEqual(
      server.requests.map(({ promptTokens }) => promptTokens),
    );
    expect(server.requests.map(({ operation }) => operation)).toEqual(Array.from({ length: 4 }, () => "count-tokens"));
    expectUntouched(world);
    expect(await listSessions(world.gateway.url)).toEqual([]);
  });

  test("a count of a folded conversation is one of what would be sent, and leaves the session alone", async () => {
    const window = 14_000;
    const world = await startWorld({ server: { contextWindow: window }, gateway: { windows: { all: window } } });
    const client = openAnthropic({ url: world.url });
    client.say("Read all files.");
    await work(client, { name: "counted", turns: 20 });
    const { body = "" } = world.sent.at(-1) ?? {};
    const { max_tokens: _, stream: __, ...counted }: Record<string, unknown> = JSON.parse(body);
    const response = await fetch(`${world.url()}/v1/messages/count_tokens`, {
      method: "POST",
      headers: { "x-api-key": "key", "anthropic-version": "2023-06-01" },
      body: JSON.stringify(counted),
    });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ input_tokens: world.server.requests.at(-2)?.promptTokens });
    expect(await listSessions(world.gateway.url)).toHaveLength(1);
  });

  test("what goes on with a thread that Anthropic keeps is no conversation of its own", async () => {
    const world = await startWorld({ server: { reply: () => ({ type: "text", text: "Done." }) } });
    const ask = async (thread: object, ...messages: readonly object[]) => {
      const response = await fetch(`${world.url()}/v1/messages`, {
        method: "POST",
        headers: {
          "x-api-key": "key",
          "anthropic-version": "2023-06-01",
          "anthropic-beta": "message-threads-2026-08-12",
          "x-claude-code-session-id": "abc",
        },
        body: JSON.stringify({ model: "claude-haiku-4-5", max_tokens: 100, tools: [READ], thread, messages }),
      });
      expect(response.status).toBe(200);
    };
    const said = (role: "user" | "assistant", content: string) => ({ role, content });
    const conversation = [said("user", "Read it."), said("assistant", "Done."), said("user", "Now the other.")];
    await ask({ type: "create" }, ...conversation);
    await ask({ type: "continue", previous_message_id: "msg_1" }, said("user", "And the third."));
    const whole = [...conversation, said("assistant", "Done."), said("user", "And the third.")];
    await ask({ type: "create" }, ...whole, said("assistant", "Done."), said("user", "Thanks."));
    expectUntouched(world);
    expect(world.sent[1]?.replyHeaders).not.toHaveProperty("x-palimpsest-session");
    expect(await listSessions(world.gateway.url)).toEqual(["claude-code:abc"]);
  });

  test("other paths pass, whatever is there", async () => {
    const world = await startWorld();
    const { url } = world;
    const names: string[] = [];
    for await (const { id } of anthropicClient({ url }).models.list()) names.push(id);
    for await (const { id } of openaiClient({ url }).models.list()) names.push(id);
    for await (const { name = "" } of await geminiClient({ url }).models.list()) names.push(name);
    expect(names).toEqual(expect.arrayContaining(["claude-haiku-4-5", "gpt-5", "models/gemini-2.5-pro"]));
    const upload = openaiClient({ url }).files.create({ file: new File(["a,b"], "a.csv"), purpose: "user_data" });
    await expect(upload).rejects.toThrow("The model server has no POST /v1/files.");
    const files = anthropicClient({ url })
      .beta.files.list()
      .then(({ data }) => data);
    await expect(files).rejects.toThrow("The model server has no GET /v1/files.");
    const embedding = geminiClient({ url }).models.embedContent({ model: "gemini-embedding-001", contents: "a" });
    await expect(embedding).rejects.toThrow("The model server has no POST");
    expect(world.incidents).toEqual([]);
  });

  test("spaces, escapes, numbers and the order of keys are not rewritten", async () => {
    const world = await startWorld();
    const body = `{ "stream" : false,\n\t"messages":[ {"content": "\\u0041\\/ \\ud83d\\ude00 1e400", "role":"user"} ] , "max_tokens": 1E2, "model":"claude-haiku-4-5", "temperature": 1.0 }\n`;
    const response = await fetch(`${world.url()}/v1/messages?beta=true&x=%20a`, {
      method: "POST",
      headers: { "x-api-key": "key", "anthropic-version": "2023-06-01", "content-type": "application/json" },
      body,
    });
    expect(response.status).toBe(200);
    expect(world.server.requests[0]?.rawBody).toBe(body);
    expectUntouched(world);
  });
});
