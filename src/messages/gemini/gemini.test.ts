import { type Content as GoogleContent, GoogleGenAI } from "@google/genai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { call, deepFreeze, result } from "../../../test/support/messages.ts";
import type { Block, Content, Message } from "../../core/message/message.ts";
import { type ModelServer, startModelServer } from "../../testing/index.ts";
import { fromGemini, toGemini } from "./index.ts";

const TOOLS = [{ functionDeclarations: [{ name: "read" }] }];
const UNCHECKED = { thoughtSignature: "skip_thought_signature_validator" };

let server: ModelServer;
let client: GoogleGenAI;

beforeAll(async () => {
  server = await startModelServer();
  client = new GoogleGenAI({ apiKey: "key", httpOptions: { baseUrl: server.url } });
});

afterAll(() => server.close());

/** Sends the messages as they are written to a model that checks signatures, and gives what was written. */
async function send(...messages: readonly Message[]) {
  const prompt = toGemini(deepFreeze(messages));
  // Typed: what is written goes into the client's call without a cast.
  await client.models.generateContent({ model: "gemini-3-pro", ...prompt, config: { ...prompt.config, tools: TOOLS } });
  expect(server.requests.at(-1)).toMatchObject({ outcome: "answered", body: { contents: prompt.contents } });
  return prompt.contents;
}

const user = (content: Content): Message => ({ role: "user", content });
const assistant = (content: Content): Message => ({ role: "assistant", content });
const block = (type: string, fields: object): Block => ({ type, ...fields });
const text = (said: string, fields: object = {}): Block => block("text", { text: said, ...fields });

describe("what is sent", () => {
  test("is role and content alone, and the system prompt in the configuration", async () => {
    const message: Message = { ...user("Why?"), id: "m1", ts: 5, important: true, keys: ["k"] };
    const contents = [{ role: "user", parts: [{ text: "Why?" }] }];
    const prompt = toGemini([message], { system: "Be brief." });
    expect(prompt).toEqual({ contents, config: { systemInstruction: "Be brief." } });
    await client.models.generateContent({ model: "gemini-3-pro", ...prompt });
    expect(server.requests.at(-1)).toMatchObject({
      outcome: "answered",
      body: { contents, systemInstruction: { parts: [{ text: "Be brief." }] } },
    });
    expect(toGemini([message])).toEqual({ contents });
  });

  test("has thoughts of Gemini's as they came, and no others", async () => {
    const [, reply] = await send(
      user("Go."),
      assistant([
        block("reasoning", { text: "Hm.", thought: true }),
        block("reasoning", { text: "", thoughtSignature: "c2ln" }),
        block("reasoning", { text: "Claude's.", signature: "c2ln" }),
        text("Yes.", { thoughtSignature: "c2ln", cache_control: { type: "ephemeral" } }),
      ]),
    );
    expect(reply?.parts).toEqual([
      { text: "Hm.", thought: true },
      { text: "", thoughtSignature: "c2ln" },
      { text: "Yes.", thoughtSignature: "c2ln" },
    ]);
    const only = await send(user("Go."), assistant([block("reasoning", { text: "Mine." })]));
    expect(only[1]?.parts).toEqual([{ text: "Mine." }]);
  });

  test("has the responses in the turn after the calls, as many as there are calls", async () => {
    const contents = await send(
      user("Go."),
      assistant("I look."),
      assistant([call("a")]),
      assistant([call("b")]),
      user([result("b", "2")]),
      user([result("a", "1"), text("Go on.")]),
      user("Well?"),
    );
    expect(contents.map(({ role, parts }) => [role, ...parts.map((part) => Object.keys(part)[0])])).toEqual([
      ["user", "text"],
      ["model", "text", "functionCall", "functionCall"],
      ["user", "functionResponse", "functionResponse", "text"],
      ["user", "text"],
    ]);
  });

  test("signs the first call of each step of the newest turn, where nobody has", async () => {
    const signed = block("tool_use", { id: "c", name: "read", input: {}, thoughtSignature: "c2ln" });
    const contents = await send(
      ...[user("Go."), assistant([call("a")]), user([result("a", "1")]), user("And now?")],
      ...[assistant([call("b"), call("b2")]), user([result("b", "2"), result("b2", "2")])],
      ...[assistant([signed]), user([result("c", "3")])],
    );
    const signatures = contents.flatMap(({ parts }) =>
      parts.flatMap((part) => (part.functionCall === undefined ? [] : [part.thoughtSignature])),
    );
    expect(signatures).toEqual([undefined, UNCHECKED.thoughtSignature, undefined, "c2ln"]);
  });

  test("answers calls that nothing has answered", async () => {
    const [, , answer] = await send(user("Go."), assistant([call("a")]));
    const error = expect.stringMatching("No result");
    expect(answer?.parts).toEqual([{ functionResponse: { id: "a", name: "read_file", response: { error } } }]);
  });

  test("has names and arguments that the API takes, and no ids of ours", async () => {
    const calls = [
      block("tool_use", { id: "unnamed-call-7", name: "7 read", input: "raw" }),
      block("tool_use", { id: "b", name: "", input: null }),
    ];
    const [, reply, answer] = await send(
      user("Go."),
      assistant(calls),
      user([result("unnamed-call-7", "x"), result("b", "y")]),
    );
    expect(reply?.parts).toEqual([
      { functionCall: { name: "_7_read", args: { input: "raw" } }, ...UNCHECKED },
      { functionCall: { id: "b", name: "_", args: {} } },
    ]);
    expect(answer?.parts).toEqual([
      { functionResponse: { name: "_7_read", response: { output: "x" } } },
      { functionResponse: { id: "b", name: "_", response: { output: "y" } } },
    ]);
  });
});

describe("blocks", () => {
  const shown = async (...blocks: readonly Block[]) => (await send(user(blocks)))[0]?.parts;
  const base64 = (media_type: string, data = "AAAA"): Block =>
    block("image", { source: { type: "base64", media_type, data } });

  test("of other providers are told as text, and left out where they say nothing", async () => {
    const document = block("document", { source: { type: "base64", media_type: "application/pdf", data: "AAAA" } });
    expect(await shown(text("a"), block("server_tool_use", { id: "s" }), document, block("x", { text: " " }))).toEqual([
      { text: "a" },
      { text: '{"type":"server_tool_use","id":"s"}' },
      { inlineData: { mimeType: "application/pdf", data: "AAAA" } },
    ]);
  });

  test("of this API are carried as they are", async () => {
    const code = { executableCode: { language: "PYTHON", code: "1" } };
    const [, reply] = await send(
      user([{ type: "fileData", fileData: { fileUri: "files/1", mimeType: "video/mp4" }, videoMetadata: { fps: 1 } }]),
      assistant([{ type: "executableCode", ...code }, block("blank_text", { text: "\n" }), text("Done.")]),
    );
    expect(reply?.parts).toEqual([code, { text: "\n" }, { text: "Done." }]);
    expect(server.requests.at(-1)?.body).toMatchObject({
      contents: [
        { parts: [{ fileData: { fileUri: "files/1", mimeType: "video/mp4" }, videoMetadata: { fps: 1 } }] },
        {},
      ],
    });
  });

  test("with media are shown in the formats that the API takes, in results too", async () => {
    const url = (address: string): Block => block("image", { source: { type: "url", url: address } });
    expect(
      await shown(base64("image/png"), base64("image/gif"), base64("audio/wav"), base64("image/png", "no bytes")),
    ).toEqual([
      { inlineData: { mimeType: "image/png", data: "AAAA" } },
      { text: "[Not shown here: image/gif]" },
      { inlineData: { mimeType: "audio/wav", data: "AAAA" } },
      { text: "[Not shown here: image/png]" },
    ]);
    expect(await shown(url("https://a.invalid/b.png"), url("data:image/webp;base64,UklG"))).toEqual([
      { fileData: { fileUri: "https://a.invalid/b.png" } },
      { inlineData: { mimeType: "image/webp", data: "UklG" } },
    ]);
    const screen = block("tool_result", {
      tool_use_id: "a",
      content: [text("1"), base64("image/png"), text("2")],
      is_error: true,
    });
    const [, , answer] = await send(user("Go."), assistant([call("a")]), user([screen]));
    const parts = [{ inlineData: { mimeType: "image/png", data: "AAAA" } }];
    expect(answer?.parts).toEqual([
      { functionResponse: { id: "a", name: "read_file", response: { error: "1\n2" }, parts } },
    ]);
  });
});

describe("what comes back", () => {
  test.each(["gemini-3-pro", "gemini-2.5-pro"])(
    "of %s is a reply's content alone, and goes on as it came",
    async (model) => {
      const calls = [
        { id: "c1", name: "read", input: { path: "a" } },
        { id: "c2", name: "read", input: { path: "b" } },
      ];
      server.script({ type: "tool-calls", text: "I read.", reasoning: "Hm.", calls });
      const response = await client.models.generateContent({ model, ...toGemini([user("Go.")]) });
      const content = response.candidates?.[0]?.content ?? {};
      let ids = 0;
      const messages = fromGemini([content], { createId: () => `${++ids}` });
      const [first, second] = model === "gemini-3-pro" ? ["c1", "c2"] : ["unnamed-call-1", "unnamed-call-2"];
      expect(messages).toMatchObject([
        {
          role: "assistant",
          content: [
            { type: "reasoning", text: "Hm.", thought: true },
            { type: "text", text: "I read." },
            { type: "tool_use", id: first, name: "read", input: { path: "a" } },
            { type: "tool_use", id: second, name: "read", input: { path: "b" } },
          ],
        },
      ]);
      const next = toGemini([user("Go."), ...messages, user([result(first, "1"), result(second, "2")]), user("Well?")]);
      expect(next.contents[1]).toEqual(content);
      await client.models.generateContent({ model, ...next, config: { tools: TOOLS } });
      expect(server.requests.at(-1)).toMatchObject({ outcome: "answered" });
    },
  );

  test("gives calls without ids new ones in every reply", () => {
    const reply = { role: "model", parts: [{ functionCall: { name: "read", args: {} } }] };
    const ids = [reply, reply].map((each) => JSON.stringify(fromGemini([each])));
    expect(ids[0]).not.toBe(ids[1]);
  });

  test("finds the calls that responses of the same list answer", () => {
    const named = (name: string) => ({ functionCall: { name, args: {} } });
    const answer = (name: string, output: string) => ({ functionResponse: { name, response: { output } } });
    const list = [
      { role: "model", parts: [named("one"), named("two")] },
      { role: "user", parts: [answer("two", "2"), answer("one", "1")] },
    ];
    let ids = 0;
    expect(fromGemini(list, { createId: () => `${++ids}` })[1]?.content).toEqual([
      result("unnamed-call-2", "2"),
      result("unnamed-call-1", "1"),
    ]);
  });

  test("has responses that go back in the form in which they came, until a fold shows something else", () => {
    const forms = [
      { output: "x" },
      { error: "x" },
      { result: "x" },
      { result: 5, more: [1] },
      { error: { code: 5 } },
      { output: '{"a":1}' },
    ];
    for (const response of forms) {
      const list: GoogleContent[] = [
        { role: "user", parts: [{ text: "Go." }] },
        { role: "model", parts: [{ functionCall: { id: "c1", name: "read", args: {} }, thoughtSignature: "c2ln" }] },
        { role: "user", parts: [{ functionResponse: { id: "c1", name: "read", response } }] },
      ];
      const messages = fromGemini(list);
      expect(toGemini(messages).contents).toEqual(list);
      const [one, two, answer] = messages;
      const standIn = {
        ...(Array.isArray(answer?.content) ? answer.content[0] : {}),
        type: "tool_result",
        content: "[cleared]",
      };
      const folds = [{ foldId: "clear-1", kind: "clear", blockIndex: 0, standIn, hiddenTokens: 5 }] as const;
      const folded = [one, two, { ...answer, folds }].filter(
        (each): each is Message => each !== undefined && "role" in each,
      );
      expect(JSON.stringify(toGemini(folded).contents[2])).toContain("[cleared]");
    }
  });

  test("of a signature that was never checked has none", () => {
    const messages = [user([text("Go.")]), assistant([call("a")]), user([result("a", "1")])];
    const { contents } = toGemini(messages);
    expect(contents[1]?.parts[0]).toMatchObject(UNCHECKED);
    expect(fromGemini(contents)).toEqual(messages);
  });

  test.each<[string, unknown, string]>([
    ["no list", { role: "user" }, "contents is an object"],
    ["no content", [5], "contents[0] is 5"],
    ["another role", [{ role: "tool", parts: [] }], 'contents[0].role is "tool"'],
    ["parts that are no list", [{ role: "user", parts: "x" }], "contents[0].parts is"],
  ])("is refused where it is %s", (_, input, message) => {
    expect(() => Reflect.apply(fromGemini, undefined, [input])).toThrow(message);
  });
});
