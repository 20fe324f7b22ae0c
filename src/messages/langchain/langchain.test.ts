import { ChatAnthropic } from "@langchain/anthropic";
import {
  AIMessage,
  type AIMessageChunk,
  ChatMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
} from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";
import { tool } from "langchain";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { call, deepFreeze, result } from "../../../test/support/messages.ts";
import type { Block, Content, Message } from "../../core/message/message.ts";
import { type ModelServer, startModelServer } from "../../testing/index.ts";
import { fromLangChain, type LangChainMessage, toLangChain } from "./index.ts";

const read = tool(() => "", { name: "read", description: "Reads.", schema: z.object({ path: z.string() }) });

let server: ModelServer;
let anthropic: ReturnType<ChatAnthropic["bindTools"]>;
let openAi: ReturnType<ChatOpenAI["bindTools"]>;
let responses: ReturnType<ChatOpenAI["bindTools"]>;

beforeAll(async () => {
  server = await startModelServer();
  const settings = { maxRetries: 0, apiKey: "key" };
  const configuration = { baseURL: server.baseUrls.openai };
  anthropic = new ChatAnthropic({ ...settings, model: "claude-haiku-4-5", anthropicApiUrl: server.url }).bindTools([
    read,
  ]);
  openAi = new ChatOpenAI({ ...settings, model: "gpt-4.1", configuration }).bindTools([read]);
  responses = new ChatOpenAI({ ...settings, model: "gpt-4.1", configuration, useResponsesApi: true }).bindTools([read]);
});

afterAll(() => server.close());

/** Sends the messages to each provider through LangChain, none of which refuses them, and gives what was written. */
async function send(...messages: readonly Message[]): Promise<readonly LangChainMessage[]> {
  const prompt = toLangChain(deepFreeze(messages));
  // Typed: what is written goes into the model's call without a cast.
  for (const model of [anthropic, openAi, responses]) await model.invoke(prompt.messages);
  expect(server.requests.slice(-3).map(({ wire, outcome }) => [wire, outcome])).toEqual([
    ["anthropic", "answered"],
    ["openai", "answered"],
    ["openai-responses", "answered"],
  ]);
  return prompt.messages;
}

const sentTo = (wire: string) => server.requests.findLast((request) => request.wire === wire)?.body;
const user = (content: Content): Message => ({ role: "user", content });
const assistant = (content: Content): Message => ({ role: "assistant", content });
const block = (type: string, fields: object): Block => ({ type, ...fields });
const thought = (text: string, signature = "c2ln"): Block => block("reasoning", { text, signature });
const text = (said: string, fields: object = {}): Block => block("text", { text: said, ...fields });
const toolCall = (id: string, args: Record<string, unknown> = { path: "a.ts" }, name = "read_file") =>
  ({ type: "tool_call", id, name, args }) as const;
const imageUrl = (url: string) => ({ type: "image_url", image_url: { url } });

describe("what is sent", () => {
  test("is role and content alone, behind the system prompt", async () => {
    const message: Message = { ...user("Why?"), id: "m1", ts: 5, important: true, keys: ["k"], condenseParent: "gone" };
    expect(toLangChain([message], { system: "Be brief." }).messages).toEqual([
      { role: "system", content: "Be brief." },
      { role: "user", content: "Why?" },
    ]);
    expect(toLangChain([message], { system: " \n" }).messages).toEqual([{ role: "user", content: "Why?" }]);
    await anthropic.invoke(toLangChain([message], { system: "Be brief." }).messages);
    expect(sentTo("anthropic")).toMatchObject({ system: "Be brief.", messages: [{ role: "user", content: "Why?" }] });
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

  test("has each result as a message of its own right behind the calls, then the rest of the turn", async () => {
    const messages = await send(
      user("Go."),
      assistant([text("I look."), call("a")]),
      assistant([call("b")]),
      user([result("b", "2")]),
      user([{ ...result("a", "1"), is_error: true }, text("Hurry.")]),
      user("Well?"),
    );
    expect(messages.slice(1)).toEqual([
      { role: "assistant", content: "I look.", tool_calls: [toolCall("a"), toolCall("b")] },
      { role: "tool", tool_call_id: "b", content: "2" },
      { role: "tool", tool_call_id: "a", content: "1", status: "error" },
      { role: "user", content: [text("Hurry.")] },
      { role: "user", content: "Well?" },
    ]);
  });

  test("names the place of a call where something is said behind it", async () => {
    const [, reply] = await send(user("Go."), assistant([call("a"), text("Then.")]), user([result("a", "1")]));
    expect(reply).toMatchObject({ content: [{ type: "tool_use", id: "a" }, text("Then.")], tool_calls: [{ id: "a" }] });
    expect(sentTo("anthropic")).toMatchObject({
      messages: [{}, { content: [{ type: "tool_use" }, text("Then.")] }, {}],
    });
  });

  test("answers calls that nothing has answered", async () => {
    const messages = await send(user("Go."), assistant([call("a"), call("b")]));
    expect(messages.slice(2)).toMatchObject([
      { role: "tool", tool_call_id: "a", status: "error" },
      { role: "tool", tool_call_id: "b", status: "error" },
    ]);
  });

  test("has arguments, ids and names that all providers take", async () => {
    const ids = ["read file/1", "read_file", ""];
    const calls = ids.map((id) => block("tool_use", { id, name: "mcp.read", input: "raw" }));
    const [, reply, ...results] = await send(user("Go."), assistant(calls), user(ids.map((id) => result(id, "x"))));
    const written = reply?.role === "assistant" ? (reply.tool_calls ?? []) : [];
    expect(new Set(written.map(({ id }) => id)).size).toBe(3);
    expect(written.every(({ id }) => /^[a-zA-Z0-9_-]+$/.test(id))).toBe(true);
    expect(written).toMatchObject(ids.map(() => ({ name: "mcp_read", args: { input: "raw" } })));
    expect(results).toMatchObject(written.map(({ id }) => ({ tool_call_id: id })));
  });

  test("has signed thoughts as Anthropic has them, and no others", async () => {
    const [, reply] = await send(
      user("Go."),
      assistant([thought("Hm."), block("reasoning", { text: "Mine." }), text("Yes.")]),
      user("Good."),
    );
    const content = [{ type: "thinking", thinking: "Hm.", signature: "c2ln" }, text("Yes.")];
    expect(reply).toEqual({ role: "assistant", content });
    expect(sentTo("anthropic")).toMatchObject({ messages: [{}, { content }, {}] });
  });

  test("says thoughts where they are all that a turn has, and drops them from the end of one", async () => {
    const only = assistant([block("reasoning", { text: "I see. " })]);
    expect((await send(user("Go."), only)).at(-1)).toEqual({ role: "assistant", content: [text("I see.")] });
    expect((await send(user("Go."), assistant([thought("I see. ")]))).at(-1)?.content).toBe("I see.");
    expect((await send(user("Go."), assistant([text("So "), thought("…")]))).at(-1)?.content).toEqual([text("So")]);
    const sealed = assistant([block("reasoning", { text: "", redactedData: "c2Vh" })]);
    expect((await send(user("Go."), sealed)).at(-1)?.content).toBe("[The reply was empty.]");
  });

  test("has images by their address, and a line for what is none", async () => {
    const base64 = (media_type: string, data = "AAAA"): Block =>
      block("image", { source: { type: "base64", media_type, data } });
    const url = (address: string): Block => block("image", { source: { type: "url", url: address } });
    const shown = async (...blocks: readonly Block[]) => (await send(user(blocks)))[0]?.content;
    expect(await shown(base64("image/png"), base64("image/jpg"), base64("audio/wav"))).toEqual([
      imageUrl("data:image/png;base64,AAAA"),
      imageUrl("data:image/jpeg;base64,AAAA"),
      text("[Not shown here: audio/wav]"),
    ]);
    expect(await shown(url("https://a.invalid/b.png"), url("data:image/gif;base64,R0lG"))).toEqual([
      imageUrl("https://a.invalid/b.png"),
      imageUrl("data:image/gif;base64,R0lG"),
    ]);
    expect(await shown(url("file:///a.png"), url("data:image/svg+xml,x"), base64("image/png", " "))).toEqual([
      text("[Not shown here: image]"),
      text("[Not shown here: image]"),
      text("[Not shown here: image/png]"),
    ]);
    const said = await send(user("Go."), assistant([base64("image/png")]), user("Nice."));
    expect(said[1]?.content).toEqual([text("[Not shown here: image/png]")]);
  });

  test("has blocks of other providers as text, and none of their fields", async () => {
    const search = block("server_side_search", { query: "x" });
    const messages = await send(user([search, text("a", { thoughtSignature: "s", cache_control: null })]));
    expect(messages[0]?.content).toEqual([text('{"type":"server_side_search","query":"x"}'), text("a")]);
  });

  test("has a result without content as an empty text", async () => {
    const empty: Block = { type: "tool_result", tool_use_id: "a" };
    const blank: Block = { type: "tool_result", tool_use_id: "b", content: [text(" ")] };
    const messages = await send(user("Go."), assistant([call("a"), call("b")]), user([empty, blank]));
    expect(messages.slice(2).map(({ content }) => content)).toEqual(["", ""]);
  });
});

describe("what comes back", () => {
  beforeEach(() => server.script());

  const calls = [{ id: "toolu_1", name: "read", input: { path: "a" } }];
  const scripted = { type: "tool-calls", text: "I read.", calls } as const;

  test("of Anthropic is a reply's content alone, and goes on as it came", async () => {
    server.script({ ...scripted, reasoning: "Hm.", redactedReasoning: "c2Vh" });
    const messages = fromLangChain([await anthropic.invoke("Go.")]);
    const tool_use = { type: "tool_use", ...calls[0] };
    expect(messages).toEqual([
      assistant([
        { type: "reasoning", text: "Hm.", signature: expect.any(String) },
        { type: "reasoning", text: "", redactedData: "c2Vh" },
        text("I read."),
        tool_use,
      ]),
    ]);
    await anthropic.invoke(toLangChain([user("Go."), ...messages, user([result("toolu_1", "text")])]).messages);
    const types = ["thinking", "redacted_thinking", "text", "tool_use"].map((type) => ({ type }));
    expect(sentTo("anthropic")).toMatchObject({ messages: [{}, { content: types }, {}] });
  });

  test("of Anthropic is the same where it was streamed", async () => {
    server.script({ ...scripted, reasoning: "Hm." }, { ...scripted, reasoning: "Hm." });
    const whole = fromLangChain([await anthropic.invoke("Go.")]);
    let streamed: AIMessageChunk | undefined;
    for await (const chunk of await anthropic.stream("Go."))
      streamed = streamed === undefined ? chunk : streamed.concat(chunk);
    expect(streamed === undefined ? [] : fromLangChain([streamed])).toEqual(whole);
  });

  test.each(["openAi", "responses"])("of OpenAI is a reply's text and calls: %s", async (name) => {
    server.script(scripted);
    const model = name === "openAi" ? openAi : responses;
    expect(fromLangChain([await model.invoke("Go.")])).toEqual([
      assistant([expect.objectContaining({ type: "text", text: "I read." }), { type: "tool_use", ...calls[0] }]),
    ]);
  });

  test("is of every class of LangChain's, and of plain objects", () => {
    const tool_calls = [toolCall("a"), toolCall("b")];
    expect(
      fromLangChain([
        new SystemMessage("Be brief."),
        new HumanMessage("Go."),
        new AIMessage({ content: "", tool_calls }),
        new ToolMessage({ content: "no", tool_call_id: "a", status: "error" }),
        new ToolMessage({ content: "yes", tool_call_id: "b" }),
        new AIMessage("Well."),
        new ChatMessage("Hm.", "critic"),
        { role: "user", content: "Plain." },
        { role: "assistant", content: "Yes." },
      ]),
    ).toEqual([
      user([text("Be brief.", { role: "system" })]),
      user("Go."),
      assistant([call("a"), call("b")]),
      user([{ ...result("a", "no"), is_error: true }, result("b", "yes")]),
      assistant("Well."),
      user([text("Hm.", { role: "critic" })]),
      user("Plain."),
      assistant("Yes."),
    ]);
  });

  test("has images in every form that LangChain has had", () => {
    const source = { type: "base64", media_type: "image/png", data: "AAAA" } as const;
    const forms = [
      imageUrl("data:image/png;base64,AAAA"),
      { type: "image_url", image_url: "data:image/png;base64,AAAA" },
      { type: "image", data: "AAAA", mimeType: "image/png" },
      { type: "image", source_type: "base64", data: "AAAA", mime_type: "image/png" },
      { type: "image", source },
    ];
    expect(fromLangChain([{ role: "user", content: forms }])).toEqual([
      user(forms.map(() => ({ type: "image", source }))),
    ]);
  });

  test("has standard blocks of LangChain's", () => {
    const content = [
      { type: "reasoning", reasoning: "Hm." },
      { type: "text", text: "Yes.", index: 1 },
      { type: "tool_call", id: "a", name: "read_file", args: { path: "a.ts" } },
      { type: "input_json_delta", input: "{" },
      { type: "file", fileId: "f1" },
    ];
    expect(fromLangChain([{ type: "ai", content }])).toEqual([
      assistant([{ type: "reasoning", text: "Hm." }, text("Yes."), call("a"), { type: "file", fileId: "f1" }]),
    ]);
  });

  test.each<[string, readonly LangChainMessage[]]>([
    [
      "calls and results",
      [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Go." },
        { role: "assistant", content: "I look.", tool_calls: [toolCall("a"), toolCall("b")] },
        { role: "tool", tool_call_id: "a", content: "1" },
        { role: "tool", tool_call_id: "b", content: [text("2")].map((each) => ({ ...each })), status: "error" },
        { role: "assistant", content: "Well." },
      ],
    ],
    [
      "thoughts and images",
      [
        { role: "user", content: [imageUrl("https://a.invalid/b.png"), { type: "text", text: "What is it?" }] },
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "Hm.", signature: "c2ln" },
            { type: "text", text: "I look." },
          ],
          tool_calls: [toolCall("a")],
        },
        { role: "tool", tool_call_id: "a", content: "1" },
      ],
    ],
  ])("goes back as it came: %s", (_, messages) => {
    expect(toLangChain(fromLangChain(messages)).messages).toEqual(messages);
  });

  test.each<[string, unknown, string]>([
    ["no list", { role: "user" }, "messages is an object"],
    ["no message", [5], "messages[0] is 5"],
    ["no role", [{ content: "x" }], "messages[0].role is undefined"],
    ["no content", [{ role: "user" }], "messages[0].content is undefined"],
    ["a result of no call", [{ role: "tool", content: "x" }], "messages[0].tool_call_id is undefined"],
  ])("is refused where it is %s", (_, input, message) => {
    expect(() => Reflect.apply(fromLangChain, undefined, [input])).toThrow(message);
  });
});
