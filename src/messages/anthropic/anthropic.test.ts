import Anthropic from "@anthropic-ai/sdk";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { call, deepFreeze, result } from "../../../test/support/messages.ts";
import type { Block, Content, Message } from "../../core/message/message.ts";
import { type ModelServer, startModelServer } from "../../testing/index.ts";
import { fromAnthropic, toAnthropic } from "./index.ts";

const TOOLS: Anthropic.ToolUnion[] = [{ name: "read", input_schema: { type: "object" } }];
const REQUEST = { model: "claude-haiku-4-5", max_tokens: 100, tools: TOOLS };

let server: ModelServer;
let client: Anthropic;

beforeAll(async () => {
  server = await startModelServer();
  client = new Anthropic({ baseURL: server.url, apiKey: "key", maxRetries: 0, logLevel: "off" });
});

afterAll(() => server.close());

/** Sends the messages as they are written, and gives what was written. */
async function send(...messages: readonly Message[]) {
  const prompt = toAnthropic(deepFreeze(messages));
  // Typed: what is written goes into the client's call without a cast.
  await client.messages.create({ ...REQUEST, ...prompt });
  expect(server.requests.at(-1)).toMatchObject({ outcome: "answered", body: { messages: prompt.messages } });
  return prompt.messages;
}

const user = (content: Content): Message => ({ role: "user", content });
const assistant = (content: Content): Message => ({ role: "assistant", content });
const block = (type: string, fields: object): Block => ({ type, ...fields });
const thought = (text: string, signature = "c2ln"): Block => block("reasoning", { text, signature });
const text = (said: string, fields: object = {}): Block => block("text", { text: said, ...fields });

describe("what is sent", () => {
  test("is role and content alone, and the system prompt beside them", async () => {
    const message: Message = { ...user("Why?"), id: "m1", ts: 5, important: true, keys: ["k"], condenseParent: "gone" };
    expect(toAnthropic([message], { system: "Be brief." })).toEqual({
      system: "Be brief.",
      messages: [{ role: "user", content: "Why?" }],
    });
    expect(toAnthropic([message], { system: " \n" })).toEqual({ messages: [{ role: "user", content: "Why?" }] });
    expect(await send(message)).toHaveLength(1);
  });

  test("is what folds show", async () => {
    const fold = { foldId: "clip-1", kind: "clip", blockIndex: 0, standIn: text("[short]"), hiddenTokens: 9 } as const;
    const hidden: Message = { ...user("long"), condenseParent: "c1" };
    const summary: Message = { ...user("So far."), isSummary: true, condenseId: "c1" };
    expect(await send(hidden, summary, { ...user([text("very long")]), folds: [fold] })).toEqual([
      { role: "user", content: "So far." },
      { role: "user", content: [{ type: "text", text: "[short]" }] },
    ]);
  });

  test("has signed and sealed thoughts as they came, and no others", async () => {
    const [, reply] = await send(
      user("Go."),
      assistant([
        thought("Hm."),
        block("reasoning", { text: "", redactedData: "c2Vh" }),
        block("reasoning", { text: "Mine." }),
        text("Yes."),
      ]),
      user("Good."),
    );
    expect(reply?.content).toEqual([
      { type: "thinking", thinking: "Hm.", signature: "c2ln" },
      { type: "redacted_thinking", data: "c2Vh" },
      { type: "text", text: "Yes." },
    ]);
  });

  test("says thoughts where they are all that a turn has, and drops them from the end of one", async () => {
    const only = assistant([block("reasoning", { text: "I see. " })]);
    expect((await send(user("Go."), only)).at(-1)).toEqual({ role: "assistant", content: [text("I see.")] });
    expect((await send(user("Go."), assistant([thought("I see. ")]))).at(-1)?.content).toBe("I see.");
    expect((await send(user("Go."), assistant([text("So "), thought("…")]))).at(-1)?.content).toEqual([text("So")]);
    const sealed = assistant([block("reasoning", { text: "", redactedData: "c2Vh" })]);
    expect((await send(user("Go."), sealed)).at(-1)?.content).toBe("[The reply was empty.]");
  });

  test("has the results in the message after the calls, first and together", async () => {
    const messages = await send(
      user("Go."),
      assistant("I look."),
      assistant([call("a")]),
      assistant([text("And here."), call("b")]),
      user([result("b", "2")]),
      user([result("a", "1")]),
      user("Well?"),
    );
    expect(
      messages.map(({ content }) => (typeof content === "string" ? content : content.map(({ type }) => type))),
    ).toEqual(["Go.", "I look.", ["tool_use", "text", "tool_use"], ["tool_result", "tool_result"], "Well?"]);
  });

  test("answers calls that nothing has answered", async () => {
    const messages = await send(user("Go."), assistant([call("a"), call("b")]));
    expect(messages.at(-1)).toMatchObject({
      role: "user",
      content: [
        { tool_use_id: "a", is_error: true },
        { tool_use_id: "b", is_error: true },
      ],
    });
  });

  test("has arguments, ids and names that the API takes", async () => {
    const calls = ["read file/1", "read_file", ""].map((id) =>
      block("tool_use", { id, name: "mcp.read", input: "raw" }),
    );
    const messages = await send(
      user("Go."),
      assistant(calls),
      user(["read file/1", "read_file", ""].map((id) => result(id, "x"))),
    );
    const [, reply, answer] = messages;
    const ids = Array.isArray(reply?.content) ? reply.content.map((each) => ("id" in each ? each.id : "")) : [];
    expect(new Set(ids).size).toBe(3);
    expect(ids[1]).toBe("read_file");
    expect(ids.filter((id) => /^[a-zA-Z0-9_-]+$/.test(id))).toEqual(ids);
    expect(reply?.content).toMatchObject(calls.map(() => ({ name: "mcp_read", input: { input: "raw" } })));
    expect(answer?.content).toMatchObject(ids.map((id) => ({ tool_use_id: id })));
  });

  test("keeps the newest four marks for the cache", async () => {
    const cache_control = { type: "ephemeral" };
    const marked = ["1", "2", "3", "4"].map((said) => user([text(said, { cache_control })]));
    const results = block("tool_result", { tool_use_id: "a", content: [text("x", { cache_control })], cache_control });
    const messages = await send(...marked, assistant([call("a")]), user([results]));
    const isMarked = messages.map(({ content }) => JSON.stringify(content).split("cache_control").length - 1);
    expect(isMarked).toEqual([0, 0, 1, 1, 0, 2]);
  });
});

describe("blocks", () => {
  const shown = async (...blocks: readonly Block[]) => (await send(user(blocks)))[0]?.content;

  test("of other providers are told as text, and left out where they say nothing", async () => {
    expect(await shown(block("server_side_search", { query: "x" }), block("blank_text", { text: " " }))).toEqual([
      { type: "text", text: '{"type":"server_side_search","query":"x"}' },
    ]);
    expect(await shown(text("a", { thoughtSignature: "s", parsed_output: {} }))).toEqual([{ type: "text", text: "a" }]);
    expect(await shown(block("fileData", { fileData: { mimeType: "audio/wav", fileUri: "x" } }))).toEqual([
      { type: "text", text: "[Not shown here: audio/wav]" },
    ]);
  });

  test("of this API are carried as they are, where it takes them", async () => {
    const search = block("server_tool_use", { id: "s1", name: "web_search", input: { query: "x" } });
    const found = block("web_search_tool_result", { tool_use_id: "s1", content: [] });
    const document = block("document", { source: { type: "text", media_type: "text/plain", data: "x" }, title: "t" });
    const messages = await send(user([document]), assistant([search, found, text("Found.")]), user("Thanks."));
    expect(messages[0]?.content).toEqual([document]);
    expect(messages[1]?.content).toEqual([search, found, { type: "text", text: "Found." }]);
    expect((await send(user("Go."), assistant([document, text("a")])))[1]?.content).toEqual([
      { type: "text", text: "[Not shown here: text/plain]" },
      { type: "text", text: "a" },
    ]);
  });

  test("with images are shown where and as the API takes them", async () => {
    const base64 = (media_type: string, data = "AAAA"): Block =>
      block("image", { source: { type: "base64", media_type, data } });
    const url = (address: string): Block => block("image", { source: { type: "url", url: address } });
    expect(
      await shown(base64("image/png"), base64("image/jpg"), base64("application/pdf"), base64("audio/wav")),
    ).toEqual([
      base64("image/png"),
      base64("image/jpeg"),
      { type: "document", source: { type: "base64", media_type: "application/pdf", data: "AAAA" } },
      { type: "text", text: "[Not shown here: audio/wav]" },
    ]);
    expect(
      await shown(url("https://a.invalid/b.png"), url("data:image/gif;base64,R0lG"), url("file:///a.png")),
    ).toEqual([
      url("https://a.invalid/b.png"),
      base64("image/gif", "R0lG"),
      { type: "text", text: "[Not shown here: image]" },
    ]);
    expect(await shown(base64("image/png", "no bytes"))).toEqual([
      { type: "text", text: "[Not shown here: image/png]" },
    ]);
    const said = await send(user("Go."), assistant([base64("image/png")]), user("Nice."));
    expect(said[1]?.content).toEqual([{ type: "text", text: "[Not shown here: image/png]" }]);
  });

  test("that are failed results are marked as such where they are text alone", async () => {
    const image = block("image", { source: { type: "base64", media_type: "image/png", data: "AAAA" } });
    const failed = (...content: Block[]) => block("tool_result", { tool_use_id: "a", content, is_error: true });
    const sent = async (answer: Block) => (await send(user("Go."), assistant([call("a")]), user([answer])))[2]?.content;
    expect(await sent(failed(text("no")))).toEqual([failed(text("no"))]);
    expect(await sent(failed(text("no"), image))).toEqual([
      { type: "tool_result", tool_use_id: "a", content: [{ type: "text", text: "no" }, image] },
    ]);
  });
});

describe("what comes back", () => {
  beforeEach(() => server.script());

  test("is a reply's content alone, and goes on as it came", async () => {
    const calls = [{ id: "toolu_1", name: "read", input: { path: "a" } }];
    server.script({ type: "tool-calls", text: "I read.", reasoning: "Hm.", redactedReasoning: "c2Vh", calls });
    const reply = await client.messages.create({ ...REQUEST, ...toAnthropic([user("Go.")]) });
    const messages = fromAnthropic([reply]);
    expect(messages).toEqual([
      assistant([
        { type: "reasoning", text: "Hm.", signature: expect.any(String) },
        { type: "reasoning", text: "", redactedData: "c2Vh" },
        { type: "text", text: "I read." },
        { type: "tool_use", ...calls[0] },
      ]),
    ]);
    const next = await send(user("Go."), ...messages, user([result("toolu_1", "text")]));
    expect(next[1]).toEqual({ role: "assistant", content: reply.content });
  });

  test("has no field that the client added to it", () => {
    const content = [{ type: "text", text: "{}", citations: null, parsed_output: {} }];
    expect(fromAnthropic([{ role: "assistant", content }])).toEqual([
      assistant([{ type: "text", text: "{}", citations: null }]),
    ]);
  });

  test("keeps what the system said among the messages in its place", async () => {
    const list: Anthropic.MessageParam[] = [
      { role: "user", content: [{ type: "text", text: "Go." }] },
      { role: "system", content: [{ type: "text", text: "Mind the gap." }] },
      { role: "assistant", content: "Yes." },
      { role: "user", content: "More." },
    ];
    expect(await send(...fromAnthropic(list))).toEqual(list);
    const moved = fromAnthropic([...list.slice(0, 2), { role: "user", content: "More." }]);
    expect(await send(...moved)).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "Go." },
          { type: "text", text: "Mind the gap." },
        ],
      },
      { role: "user", content: "More." },
    ]);
  });

  test.each<[string, unknown, string]>([
    ["no list", { role: "user" }, "messages is an object"],
    ["no message", [5], "messages[0] is 5"],
    ["another role", [{ role: "tool", content: "x" }], 'messages[0].role is "tool"'],
    ["no content", [{ role: "user" }], "messages[0].content is undefined"],
  ])("is refused where it is %s", (_, input, message) => {
    expect(() => Reflect.apply(fromAnthropic, undefined, [input])).toThrow(message);
  });
});
