import { describe, expect, test } from "vitest";
import type { Block, Message } from "../../core/message/message.ts";
import { toOpenAiResponses } from "./index.ts";

const user = (content: Message["content"]): Message => ({ role: "user", content });
const assistant = (content: Message["content"]): Message => ({ role: "assistant", content });
const call = (id: string, fields: object = {}): Block => ({ type: "tool_use", id, name: "read", input: {}, ...fields });
const result = (id: string, content: string | readonly Block[] = "done"): Block => ({
  type: "tool_result",
  tool_use_id: id,
  content,
});
const text = (value: string, fields: object = {}): Block => ({ type: "text", text: value, ...fields });
const sealed = (id: string): Block => ({ type: "reasoning", id, summary: [], encrypted_content: "c2VhbA", text: "" });

const written = (messages: readonly Message[], stored = false) => toOpenAiResponses(messages, { stored }).input;
const functionCall = (id: string, fields: object = {}) => ({
  type: "function_call",
  call_id: id,
  name: "read",
  arguments: "{}",
  ...fields,
});
const output = (id: string, value: unknown = "done") => ({ type: "function_call_output", call_id: id, output: value });
const reasoningItem = (id: string) => ({ type: "reasoning", id, summary: [], encrypted_content: "c2VhbA" });

describe("toOpenAiResponses", () => {
  test("has the system prompt as instructions, and none where it is blank", () => {
    expect(toOpenAiResponses([user("Hi.")], { system: "Be brief." }).instructions).toBe("Be brief.");
    expect(toOpenAiResponses([user("Hi.")], { system: "" })).toEqual({ input: [{ role: "user", content: "Hi." }] });
  });

  test("sends role and content alone, without fields of other providers", () => {
    const message = { ...user([text("Hi.", { cache_control: { type: "ephemeral" }, name: "x" })]), id: "m1", ts: 5 };
    expect(written([message])).toEqual([{ role: "user", content: [{ type: "input_text", text: "Hi." }] }]);
  });

  test("leaves out ids that the API refuses, which other servers make", () => {
    const messages = [
      user("Go."),
      assistant([
        { type: "reasoning", id: "thought_1", summary: [], encrypted_content: "c2VhbA", text: "Hm." },
        text("One.", { item_id: "0a1b", follows: "thought_1" }),
        call("a", { item_id: "item_1", follows: "0a1b" }),
      ]),
      user([{ ...result("a"), item_id: "call_a" } as Block]),
    ];
    expect(written(messages)).toEqual([
      { role: "user", content: "Go." },
      { role: "assistant", content: "One." },
      functionCall("a"),
      output("a"),
    ]);
  });

  test("writes texts, calls and outputs as items in their order", () => {
    const image: Block = { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } };
    const messages = [
      user("Go."),
      assistant([text("One."), call("a"), text("Two."), call("b", { item_type: "custom_tool_call", input: "ls" })]),
      user([result("b", "x"), result("a", [text("y"), image]), text("See.")]),
      assistant("Done."),
      user("Thanks."),
    ];
    expect(written(messages)).toEqual([
      { role: "user", content: "Go." },
      { role: "assistant", content: "One." },
      functionCall("a"),
      { role: "assistant", content: "Two." },
      { type: "custom_tool_call", call_id: "b", name: "read", input: "ls" },
      { type: "custom_tool_call_output", call_id: "b", output: "x" },
      output("a", [
        { type: "input_text", text: "y" },
        { type: "input_image", detail: "auto", image_url: "data:image/png;base64,AAAA" },
      ]),
      { role: "user", content: [{ type: "input_text", text: "See." }] },
      { role: "assistant", content: "Done." },
      { role: "user", content: "Thanks." },
    ]);
  });

  test("writes a result without content as an empty text", () => {
    const empty: Block[] = [{ type: "tool_result", tool_use_id: "a" }, result("b", [])];
    expect(written([user("Go."), assistant([call("a"), call("b")]), user(empty)]).slice(3)).toEqual([
      output("a", ""),
      output("b", ""),
    ]);
  });

  test("shortens ids that the API refuses, of a call and its result alike, and mends names of tools", () => {
    const tool: Block = { type: "tool_use", id: "x".repeat(70), name: "files.read", input: {} };
    const items = written([user("Go."), assistant([tool]), user([result("x".repeat(70))])]).slice(1);
    const ids = items.map((item) => ("call_id" in item ? item.call_id : ""));
    expect(ids.map((id) => id.length)).toEqual([64, 64]);
    expect(new Set(ids).size).toBe(1);
    expect(items[0]).toMatchObject({ name: "files_read" });
  });

  describe("reasoning", () => {
    const unsealed: Block = { type: "reasoning", id: "rs_2", summary: [], text: "" };

    test("goes back right before what it led to", () => {
      const led = call("a", { item_id: "fc_1", follows: "rs_1" });
      const messages = [user("Go."), assistant([sealed("rs_1"), led]), user([result("a")])];
      expect(written(messages).slice(1, 3)).toEqual([reasoningItem("rs_1"), functionCall("a", { id: "fc_1" })]);
    });

    test("follows what it led to into a summary that carries the call", () => {
      const led = call("a", { item_id: "fc_1", follows: "rs_1" });
      const messages = [user("Go."), assistant([sealed("rs_1"), text("A summary."), led]), user([result("a")])];
      expect(written(messages).slice(1, 4)).toEqual([
        { role: "assistant", content: "A summary." },
        reasoningItem("rs_1"),
        functionCall("a", { id: "fc_1" }),
      ]);
    });

    test("is followed by an item without its id where that followed another", () => {
      const led = call("a", { item_id: "fc_1", follows: "msg_1" });
      const messages = [user("Go."), assistant([sealed("rs_1"), text("A summary."), led]), user([result("a")])];
      expect(written(messages).slice(2, 4)).toEqual([reasoningItem("rs_1"), functionCall("a")]);
    });

    test("is followed by an item of another reply without its id, and further ones keep theirs", () => {
      const other = call("a", { item_id: "fc_9", follows: null });
      const carried = [user("Go."), assistant([sealed("rs_1"), text("A summary."), other]), user([result("a")])];
      expect(written(carried).slice(2, 4)).toEqual([reasoningItem("rs_1"), functionCall("a")]);
      const behind = assistant([sealed("rs_1"), text("Yes.", { follows: "rs_1" }), other]);
      expect(written([user("Go."), behind, user([result("a")])]).slice(1, 4)).toEqual([
        reasoningItem("rs_1"),
        { role: "assistant", content: "Yes." },
        functionCall("a", { id: "fc_9" }),
      ]);
    });

    test("that the gateway read leads to no item behind a summary by its id", () => {
      const content = [sealed("rs_1"), text("A summary."), call("a", { item_id: "fc_1" })];
      expect(written([user("Go."), assistant(content), user([result("a")])]).slice(2, 4)).toEqual([
        reasoningItem("rs_1"),
        functionCall("a"),
      ]);
    });

    test("is left out with the search that it led to", () => {
      const search: Block = { type: "web_search_call", id: "ws_1", status: "completed", follows: "rs_0" };
      expect(written([user("Go."), assistant([text("Yes."), sealed("rs_1"), search]), user("On.")])).toEqual([
        { role: "user", content: "Go." },
        { role: "assistant", content: "Yes." },
        { role: "user", content: "On." },
      ]);
    });

    test("that the gateway read leads to the item right behind it", () => {
      const content = [sealed("rs_1"), text("Reading.", { item_id: "msg_1" }), call("a", { item_id: "fc_1" })];
      expect(written([user("Go."), assistant(content), user([result("a")])]).slice(1, 4)).toEqual([
        reasoningItem("rs_1"),
        {
          type: "message",
          id: "msg_1",
          role: "assistant",
          status: "completed",
          content: [{ type: "output_text", text: "Reading.", annotations: [] }],
        },
        functionCall("a"),
      ]);
    });

    test("without a seal is left out with the ids of what it led to, unless the API stored it", () => {
      const led = call("a", { item_id: "fc_1", follows: "rs_2" });
      const messages = [user("Go."), assistant([unsealed, led]), user([result("a")])];
      expect(written(messages).slice(1, 2)).toEqual([functionCall("a")]);
      expect(written(messages, true).slice(1, 3)).toEqual([
        { type: "reasoning", id: "rs_2", summary: [] },
        functionCall("a", { id: "fc_1" }),
      ]);
    });

    test("that leads to nothing is left out, or said where nothing else is", () => {
      const thought: Block = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "c2VhbA", text: "Hm." };
      const written1 = written([user("Go."), assistant([text("Yes."), thought]), user("On.")]);
      expect(written1[1]).toEqual({ role: "assistant", content: "Yes." });
      expect(written1).toHaveLength(3);
      expect(written([user("Go."), assistant([thought]), user("On.")])[1]).toEqual({
        role: "assistant",
        content: "Hm.",
      });
      expect(written([user("Go."), assistant([sealed("rs_1")]), user("On.")])[1]).toEqual({
        role: "assistant",
        content: "[The reply was empty.]",
      });
    });

    test("of another provider, and our own, is left out", () => {
      const foreign: Block = { type: "reasoning", text: "Hm.", signature: "s" };
      expect(written([user("Go."), assistant([foreign, text("Yes.")]), user("On.")])[1]).toEqual({
        role: "assistant",
        content: "Yes.",
      });
    });
  });

  test("refers to items by their ids only where the API stored them", () => {
    const reference: Block = { type: "item_reference", id: "msg_1", follows: null };
    const messages = [user("Go."), assistant([reference]), user("On.")];
    expect(written(messages, true)[1]).toEqual({ type: "item_reference", id: "msg_1" });
    expect(written(messages)[1]).toMatchObject({ role: "assistant" });
  });

  test("names no item twice", () => {
    const reply = assistant([sealed("rs_1"), text("Yes.", { item_id: "msg_1", follows: "rs_1" })]);
    const search: Block = { type: "compaction", id: "cmp_1", encrypted_content: "c" };
    const items = written([user([search]), reply, user([search, text("Again.")]), reply, user("On.")]);
    expect(items.flatMap((item) => ("id" in item ? [item.id] : []))).toEqual(["cmp_1", "rs_1", "msg_1"]);
    expect(items).toHaveLength(6);
  });

  test("leaves out a search whose reasoning is gone, and names media that it cannot hold", () => {
    const search: Block = { type: "web_search_call", id: "ws_1", status: "completed", follows: "rs_1" };
    const audio: Block = { type: "image", source: { type: "file", file_id: "f" } };
    expect(written([user([audio]), assistant([search, text("Yes.")]), user("On.")])).toEqual([
      { role: "user", content: [{ type: "input_text", text: "[Not shown here: image]" }] },
      { role: "assistant", content: "Yes." },
      { role: "user", content: "On." },
    ]);
  });

  test("writes blocks of other wires as text", () => {
    const foreign: Block = { type: "compaction", content: "So far.", encrypted_content: "c" };
    expect(written([user([foreign])])).toEqual([
      { role: "user", content: [{ type: "input_text", text: JSON.stringify(foreign) }] },
    ]);
  });

  test("refuses options that it does not know", () => {
    const options: object = { stored: "yes" };
    expect(() => toOpenAiResponses([user("Hi.")], options)).toThrow('options.stored is "yes"');
  });
});
