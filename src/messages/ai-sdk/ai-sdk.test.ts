import { createAnthropic } from "@ai-sdk/anthropic";
import { generateText, tool } from "ai";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { sendWithAiSdk } from "../../../test/support/ai-sdk-clients.ts";
import { call, deepFreeze, result } from "../../../test/support/messages.ts";
import type { Block, Content, Message } from "../../core/message/message.ts";
import { type ModelServer, startModelServer } from "../../testing/index.ts";
import { fromAiSdk, toAiSdk } from "./index.ts";

let server: ModelServer;

beforeAll(async () => {
  server = await startModelServer();
});

afterAll(() => server.close());

/** Sends the messages with versions 5, 6 and 7 to three providers, and gives what was written. */
async function send(...messages: readonly Message[]) {
  const prompt = toAiSdk(deepFreeze(messages));
  await sendWithAiSdk(server, 200_000, prompt);
  expect(server.requests.slice(-3).map(({ outcome }) => outcome)).toEqual(["answered", "answered", "answered"]);
  return prompt.messages;
}

const user = (content: Content): Message => ({ role: "user", content });
const assistant = (content: Content): Message => ({ role: "assistant", content });
const block = (type: string, fields: object): Block => ({ type, ...fields });
const text = (said: string, fields: object = {}): Block => block("text", { text: said, ...fields });

describe("what is sent", () => {
  test("is role and content alone, and the system prompt beside them", async () => {
    const message: Message = { ...user("Why?"), id: "m1", ts: 5, important: true, keys: ["k"], condenseParent: "gone" };
    expect(toAiSdk([message], { system: "Be brief." })).toEqual({
      system: "Be brief.",
      messages: [{ role: "user", content: "Why?" }],
    });
    expect(toAiSdk([message], { system: " \n" })).toEqual({ messages: [{ role: "user", content: "Why?" }] });
    expect(await send(message)).toHaveLength(1);
  });

  test("has thoughts with what their provider signed, and none at the end of a reply", async () => {
    const thoughts = [
      block("reasoning", { text: "Hm.", signature: "c2ln" }),
      block("redacted_thinking", { data: "c2Vh" }),
      block("reasoning", { text: "Mine." }),
    ];
    const [, reply] = await send(user("Go."), assistant([...thoughts, text("Yes.")]), user("Good."));
    expect(reply?.content).toEqual([
      { type: "reasoning", text: "Hm.", providerOptions: { anthropic: { signature: "c2ln" } } },
      { type: "reasoning", text: "", providerOptions: { anthropic: { redactedData: "c2Vh" } } },
      { type: "reasoning", text: "Mine." },
      { type: "text", text: "Yes." },
    ]);
    expect((await send(user("Go."), assistant([text("So."), ...thoughts])))[1]?.content).toEqual([text("So.")]);
    expect(
      (await send(user("Go."), assistant([block("reasoning", { text: "I see." })]), user("On.")))[1]?.content,
    ).toBe("I see.");
  });

  test("has results as a tool's message behind the calls, by the tool's name, and files behind them", async () => {
    const image = block("image", { source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } });
    const answer = block("tool_result", { tool_use_id: "b", content: [text("2"), image] });
    const messages = await send(
      user("Go."),
      assistant("I look."),
      assistant([call("a")]),
      assistant([call("b", "mcp.list", "raw")]),
      user([text("Well?"), answer]),
      user([result("a", "1")]),
    );
    expect(messages.slice(1)).toEqual([
      {
        role: "assistant",
        content: [
          { type: "text", text: "I look." },
          { type: "tool-call", toolCallId: "a", toolName: "read_file", input: { path: "a.ts" } },
          { type: "tool-call", toolCallId: "b", toolName: "mcp_list", input: { input: "raw" } },
        ],
      },
      {
        role: "tool",
        content: [
          {
            type: "tool-result",
            toolCallId: "b",
            toolName: "mcp_list",
            output: { type: "text", value: "2\n[A file: it follows below.]" },
          },
          { type: "tool-result", toolCallId: "a", toolName: "read_file", output: { type: "text", value: "1" } },
        ],
      },
      {
        role: "user",
        content: [
          { type: "text", text: "Well?" },
          { type: "file", data: "iVBORw0KGgo=", mediaType: "image/png" },
        ],
      },
    ]);
  });

  test("answers calls that nothing has answered, and says failures as such", async () => {
    const failed = block("tool_result", { tool_use_id: "a", content: "no", is_error: true });
    const messages = await send(user("Go."), assistant([call("a")]), user([failed]), assistant([call("b")]));
    expect(messages[2]?.content).toMatchObject([{ output: { type: "error-text", value: "no" } }]);
    expect(messages.at(-1)).toMatchObject({
      role: "tool",
      content: [{ toolCallId: "b", output: { type: "error-text" } }],
    });
  });

  test("has media that providers take, and words for the rest", async () => {
    const media = (media_type: string, data = "AAAA") =>
      block("image", { source: { type: "base64", media_type, data } });
    const linked = (url: string) => block("image", { source: { type: "url", url } });
    const content = [
      linked("data:image/gif;base64,R0lG"),
      linked("file:///a.png"),
      media("audio/wav"),
      media("image/png", "§"),
      // base64url, which the SDK would pass on, and providers refuse.
      media("image/png", "-_A="),
    ];
    const [message] = await send(user([media("image/png"), linked("https://a.invalid/b.png"), ...content]));
    expect(message?.content).toEqual([
      { type: "file", data: "AAAA", mediaType: "image/png" },
      { type: "file", data: new URL("https://a.invalid/b.png"), mediaType: "image/*" },
      { type: "file", data: "R0lG", mediaType: "image/gif" },
      { type: "text", text: "[Not shown here: image]" },
      { type: "text", text: "[Not shown here: audio/wav]" },
      { type: "text", text: "[Not shown here: image/png]" },
      { type: "text", text: "[Not shown here: image/png]" },
    ]);
  });
});

describe("what comes back", () => {
  beforeEach(() => server.script());

  test("is what a call of the SDK answered, and goes on as it came", async () => {
    const calls = [{ id: "toolu_1", name: "read_file", input: { path: "a" } }];
    server.script({ type: "tool-calls", text: "I read.", reasoning: "Hm.", redactedReasoning: "c2Vh", calls });
    const model = createAnthropic({ baseURL: server.baseUrls.anthropic, apiKey: "key" })("claude-haiku-4-5");
    const read_file = tool({ inputSchema: z.object({ path: z.string() }), execute: () => ({ lines: [1, 2] }) });
    const reply = await generateText({ model, tools: { read_file }, maxRetries: 0, ...toAiSdk([user("Go.")]) });
    const messages = fromAiSdk(reply.responseMessages);
    expect(messages).toEqual([
      assistant([
        { type: "reasoning", text: "Hm.", signature: expect.any(String) },
        { type: "reasoning", text: "", redactedData: "c2Vh" },
        { type: "text", text: "I read." },
        expect.objectContaining({ type: "tool_use", ...calls[0] }),
      ]),
      user([{ type: "tool_result", tool_use_id: "toolu_1", content: '{"lines":[1,2]}', outputType: "json" }]),
    ]);
    const next = toAiSdk([user("Go."), ...messages]);
    expect(next.messages.at(-1)?.content).toMatchObject([{ output: { type: "json", value: { lines: [1, 2] } } }]);
    const answer = await generateText({ model, tools: { read_file }, maxRetries: 0, ...next });
    expect(answer.text).toContain("default reply");
  });

  test("has every form that the SDK has for files, results and what its providers did", () => {
    const bytes = new Uint8Array([1, 2, 3]);
    const source = { type: "base64", media_type: "image/png", data: "AQID" };
    const images = [
      { type: "image", image: bytes, mediaType: "image/png" },
      { type: "image", image: bytes.buffer, mediaType: "image/png" },
      { type: "file", data: "AQID", mediaType: "image/png" },
      { type: "file", data: { type: "data", data: bytes }, mediaType: "image/png" },
      { type: "file", data: new URL("data:image/png;base64,AQID"), mediaType: "image/png" },
    ];
    expect(fromAiSdk([{ role: "user", content: images }])).toEqual([
      user(images.map(() => block("image", { source }))),
    ]);
    const output = (value: object) => ({ type: "tool-result", toolCallId: "a", toolName: "t", output: value });
    const items = [
      { type: "text", text: "x" },
      { type: "media", data: "AQID", mediaType: "image/png" },
      { type: "image-data", data: "AQID", mediaType: "image/png" },
      { type: "file", data: { type: "data", data: "AQID" }, mediaType: "image/png" },
      { type: "image-url", url: "https://a.invalid/b.png" },
    ];
    const outputs = [
      output({ type: "text", value: "x" }),
      output({ type: "error-json", value: { code: 5 } }),
      output({ type: "execution-denied", reason: "Not now." }),
      output({ type: "content", value: items }),
    ];
    const answered = { type: "tool_result", tool_use_id: "a" };
    const image = { type: "image", source };
    expect(fromAiSdk([{ role: "tool", content: outputs }])).toEqual([
      user([
        { ...answered, content: "x" },
        { ...answered, content: '{"code":5}', is_error: true, outputType: "error-json" },
        { ...answered, content: "Not now.", is_error: true },
        {
          ...answered,
          content: [
            text("x"),
            image,
            image,
            image,
            block("image", { source: { type: "url", url: "https://a.invalid/b.png" } }),
          ],
        },
      ]),
    ]);
    const search = { type: "tool-call", toolCallId: "s", toolName: "web_search", input: {}, providerExecuted: true };
    expect(fromAiSdk([{ role: "assistant", content: [search] }])).toEqual([assistant([search])]);
  });

  test("keeps settings for a provider, and marks what the system said", async () => {
    const providerOptions = { openai: { itemId: "msg_1" }, google: { thoughtSignature: "c2ln" } };
    const list = [
      { role: "system", content: "Mind the gap." },
      { role: "assistant", content: [{ type: "text", text: "Yes.", providerOptions }] },
    ];
    const messages = fromAiSdk(list);
    expect(messages).toEqual([
      user([text("Mind the gap.", { role: "system" })]),
      assistant([text("Yes.", { thoughtSignature: "c2ln", providerOptions: { openai: { itemId: "msg_1" } } })]),
    ]);
    expect(toAiSdk(messages).messages[1]?.content).toEqual([{ type: "text", text: "Yes.", providerOptions }]);
    expect(await send(...messages, user("On."))).toHaveLength(3);
  });

  test.each<[string, unknown, string]>([
    ["no list", { role: "user" }, "messages is an object"],
    ["no message", [5], "messages[0] is 5"],
    ["another role", [{ role: "developer", content: "x" }], 'messages[0].role is "developer"'],
    ["no content", [{ role: "user" }], "messages[0].content is undefined"],
    ["a tool's text", [{ role: "tool", content: "x" }], 'messages[0].content is "x"'],
    ["no part", [{ role: "user", content: [5] }], "messages[0].content[0] is 5"],
  ])("is refused where it is %s", (_, input, message) => {
    expect(() => Reflect.apply(fromAiSdk, undefined, [input])).toThrow(message);
  });
});
