import { describe, expect, test } from "vitest";
import type { Block, Message } from "../../core/message/message.ts";
import { fromOpenAiChat, toOpenAiChat } from "./index.ts";

const user = (content: Message["content"]): Message => ({ role: "user", content });
const assistant = (content: Message["content"]): Message => ({ role: "assistant", content });
const call = (id: string, input: unknown = {}): Block => ({ type: "tool_use", id, name: "read", input });
const result = (id: string, content: string | readonly Block[] = "done"): Block => ({
  type: "tool_result",
  tool_use_id: id,
  content,
});
const image: Block = { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } };

const written = (messages: readonly Message[], reasoning?: "reasoning_content" | "reasoning_details") =>
  toOpenAiChat(messages, { reasoning }).messages;
const functionCall = (id: string, text = "{}") => ({
  id,
  type: "function",
  function: { name: "read", arguments: text },
});

describe("toOpenAiChat", () => {
  test("puts the system prompt first, and leaves a blank one out", () => {
    const hello = user("Hello.");
    expect(toOpenAiChat([hello], { system: "Be brief." })).toEqual({
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Hello." },
      ],
    });
    expect(toOpenAiChat([hello], { system: " " }).messages).toHaveLength(1);
  });

  test("sends role and content alone", () => {
    const message = {
      ...user("Hello."),
      id: "m1",
      ts: 5,
      important: true,
      keys: ["k"],
      isSummary: true,
      condenseId: "c",
    };
    expect(written([message])).toEqual([{ role: "user", content: "Hello." }]);
  });

  test("leaves out fields that are another provider's, and keeps the marks for OpenAI's cache", () => {
    const cached: Block = { type: "text", text: "a", cache_control: { type: "ephemeral" }, citations: [] };
    const marked: Block = { type: "text", text: "b", prompt_cache_breakpoint: { mode: "explicit", ttl: "12h", x: 1 } };
    expect(written([user([cached, marked])])).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "a" },
          { type: "text", text: "b", prompt_cache_breakpoint: { mode: "explicit", ttl: "12h" } },
        ],
      },
    ]);
  });

  test("answers calls by tool messages right behind them, then says the rest of the turn", () => {
    const messages = [
      user("Go."),
      assistant([{ type: "text", text: "Reading." }, call("a", { path: "x" }), call("b")]),
      user([result("b", "two")]),
      user([result("a", [{ type: "text", text: "one" }]), { type: "text", text: "Hurry." }]),
      user("Well?"),
    ];
    expect(written(messages).slice(1)).toEqual([
      { role: "assistant", content: "Reading.", tool_calls: [functionCall("a", '{"path":"x"}'), functionCall("b")] },
      { role: "tool", tool_call_id: "b", content: "two" },
      { role: "tool", tool_call_id: "a", content: [{ type: "text", text: "one" }] },
      { role: "user", content: [{ type: "text", text: "Hurry." }] },
      { role: "user", content: "Well?" },
    ]);
  });

  test("joins the replies of one turn from the first call on", () => {
    const messages = [
      user("Go."),
      assistant("First."),
      assistant([call("a")]),
      assistant("Then."),
      user([result("a")]),
    ];
    expect(written(messages).slice(1)).toEqual([
      { role: "assistant", content: "First." },
      { role: "assistant", content: "Then.", tool_calls: [functionCall("a")] },
      { role: "tool", tool_call_id: "a", content: "done" },
    ]);
  });

  test("moves images of results into a user message behind all results", () => {
    const messages = [
      user("Go."),
      assistant([call("a"), call("b")]),
      user([result("a", [image])]),
      user([result("b", [{ type: "text", text: "and" }, image]), { type: "text", text: "See." }]),
    ];
    const part = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } };
    const note = { type: "text", text: "[Shown in the user message below.]" };
    expect(written(messages).slice(2)).toEqual([
      { role: "tool", tool_call_id: "a", content: [note] },
      { role: "tool", tool_call_id: "b", content: [{ type: "text", text: "and" }, note] },
      { role: "user", content: [part, part] },
      { role: "user", content: [{ type: "text", text: "See." }] },
    ]);
  });

  test("writes a result without content as an empty text", () => {
    const messages = [user("Go."), assistant([call("a"), call("b")])];
    const empty: Block[] = [{ type: "tool_result", tool_use_id: "a" }, result("b", [])];
    expect(written([...messages, user(empty)]).slice(2)).toEqual([
      { role: "tool", tool_call_id: "a", content: "" },
      { role: "tool", tool_call_id: "b", content: "" },
    ]);
  });

  test("keeps a list beside calls where its text is marked for the cache", () => {
    const marked: Block = { type: "text", text: "a", prompt_cache_breakpoint: { mode: "explicit" } };
    expect(written([user("Go."), assistant([marked, call("a")]), user([result("a")])])[1]).toEqual({
      role: "assistant",
      content: [marked],
      tool_calls: [functionCall("a")],
    });
  });

  test("keeps apart what two said", () => {
    const said = (name: string): Block => ({ type: "text", text: "Hi.", name });
    expect(written([user([said("ann"), said("bob")])])).toEqual([
      { role: "user", name: "ann", content: "Hi." },
      { role: "user", name: "bob", content: "Hi." },
    ]);
  });

  test("writes arguments that are no JSON as they are", () => {
    const messages = [user("Go."), assistant([call("a", '{"path": "x')]), user([result("a")])];
    expect(written(messages)[1]).toMatchObject({ tool_calls: [functionCall("a", '{"path": "x')] });
  });

  test("writes arguments anew that were clipped since they were read", () => {
    const read = fromOpenAiChat([
      { role: "assistant", ...{ tool_calls: [functionCall("a", '{ "path": "long" }')] } },
    ])[0];
    const [block] = typeof read?.content === "string" ? [] : (read?.content ?? []);
    const clipped = { ...block, type: "tool_use", input: { path: "l…" } };
    expect(written([user("Go."), assistant([clipped]), user([result("a")])])[1]).toMatchObject({
      tool_calls: [functionCall("a", '{"path":"l…"}')],
    });
  });

  test("shortens ids that the API refuses, of a call and its result alike, and mends names of tools", () => {
    const [one, other] = [`${"x".repeat(50)}1`, `${"x".repeat(50)}2`];
    const tool: Block = { type: "tool_use", id: "functions.read:0", name: "files.read", input: {} };
    const results = [result(one), result(other), result("functions.read:0")];
    const [, reply, ...answers] = written([user("Go."), assistant([call(one), call(other), tool]), user(results)]);
    const calls = reply?.role === "assistant" ? (reply.tool_calls ?? []) : [];
    const ids = calls.map(({ id }) => id);
    expect(answers.map((answer) => (answer.role === "tool" ? answer.tool_call_id : undefined))).toEqual(ids);
    expect(ids.map((id) => id.length)).toEqual([40, 40, 16]);
    expect(new Set(ids).size).toBe(3);
    expect(calls[2]).toMatchObject({ id: "functions.read:0", function: { name: "files_read" } });
  });

  describe("reasoning", () => {
    const thought: Block = { type: "reasoning", text: "Hm.", signature: "anthropic's" };
    const detailed: Block = { type: "reasoning", text: "So.", reasoning_details: [{ type: "reasoning.encrypted" }] };
    const messages = [user("Go."), assistant([thought, { type: "text", text: "Hi." }]), user("Go on.")];

    test("is left out where the server takes none", () => {
      expect(written(messages)[1]).toEqual({ role: "assistant", content: [{ type: "text", text: "Hi." }] });
    });

    test("is said where nothing else is", () => {
      const silent = [user("Go."), assistant([thought, thought]), user("Go on.")];
      const expected = { role: "assistant", content: "Hm.\n\nHm." };
      expect(written(silent, "reasoning_content")[1]).toEqual(expected);
      expect(written(silent)[1]).toMatchObject({ content: [{ text: "Hm." }, { text: "Hm." }] });
    });

    test("goes back as reasoning_content, which stands beside every call", () => {
      const calls = [
        user("Go."),
        assistant([thought, call("a")]),
        user([result("a")]),
        assistant([call("b")]),
        user([result("b")]),
      ];
      const replies = written(calls, "reasoning_content").filter(({ role }) => role === "assistant");
      expect(replies).toEqual([
        { role: "assistant", content: null, reasoning_content: "Hm.", tool_calls: [functionCall("a")] },
        { role: "assistant", content: null, reasoning_content: "", tool_calls: [functionCall("b")] },
      ]);
    });

    test("goes to servers that take texts as strings, and no developer", () => {
      const texts: readonly Block[] = [
        { type: "text", text: "a" },
        { type: "text", text: "b" },
      ];
      const told: Block = { type: "text", text: "Be brief.", role: "developer" };
      const turns = [
        user([told]),
        user(texts),
        assistant([...texts, call("a")]),
        user([result("a", texts), ...texts, image]),
      ];
      expect(written(turns, "reasoning_content")).toEqual([
        { role: "system", content: "Be brief." },
        { role: "user", content: "a\n\nb" },
        { role: "assistant", content: "a\n\nb", reasoning_content: "", tool_calls: [functionCall("a")] },
        { role: "tool", tool_call_id: "a", content: "a\n\nb" },
        { role: "user", content: [...texts, { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } }] },
      ]);
    });

    test("goes back as reasoning_details only where it came with them", () => {
      const turns = [user("Go."), assistant([thought, detailed, { type: "text", text: "Hi." }]), user("Go on.")];
      expect(written(turns, "reasoning_details")[1]).toEqual({
        role: "assistant",
        content: "Hi.",
        reasoning_details: [{ type: "reasoning.encrypted" }],
      });
    });
  });

  describe("blocks of other wires", () => {
    test("are text", () => {
      const search: Block = { type: "server_side_search", query: "x" };
      const messages = [user([search]), assistant([search, call("a")]), user([result("a", [search])])];
      const text = '{"type":"server_side_search","query":"x"}';
      expect(written(messages)).toEqual([
        { role: "user", content: [{ type: "text", text }] },
        { role: "assistant", content: text, tool_calls: [functionCall("a")] },
        { role: "tool", tool_call_id: "a", content: [{ type: "text", text }] },
      ]);
    });

    test("a whole message in a result is text", () => {
      const whole: Block = { type: "message", message: { role: "function", name: "read", content: "x" } };
      expect(written([user("Go."), assistant([call("a")]), user([result("a", [whole])])])[2]).toMatchObject({
        content: [{ type: "text", text: JSON.stringify(whole) }],
      });
    });

    test("an image that only its provider can find is named", () => {
      const uploaded: Block = { type: "image", source: { type: "file", file_id: "f1" } };
      expect(written([user([uploaded])])).toEqual([
        { role: "user", content: [{ type: "text", text: "[Not shown here: image]" }] },
      ]);
    });
  });

  test("refuses options that it does not know", () => {
    const options: object = { reasoning: "thinking" };
    expect(() => toOpenAiChat([user("Hi.")], options)).toThrow('options.reasoning is "thinking"');
  });
});
