import { describe, expect, test } from "vitest";
import { assistant, call, log, result, user } from "../../../test/support/messages.ts";
import { parseLines, readRecords } from "../../../test/support/transcripts.ts";
import { detectPairs } from "../../core/message/tool-pairs.ts";
import type { Transcript } from "../../core/transcript/transcript.ts";
import { codexFormat, writeCodex } from "./index.ts";

const text = (value: string) => ({ type: "text", text: value });

const TRANSCRIPT: Transcript = {
  format: "codex",
  messages: log(
    user(text("Read it."), text("Both.")),
    assistant(text("I will."), call("c1"), {
      ...call("c2", "apply_patch", "*** Begin"),
      item_type: "custom_tool_call",
    }),
    user(result("c1"), result("c2")),
    assistant(text("Done.")),
    user({ type: "compaction", encrypted_content: "opaque" }),
    assistant(text("More."), text("And more.")),
  ),
  sessionId: "s1",
  modelId: "gpt-x",
  workingDirectory: "/work",
  systemPrompt: "You are an agent.",
  compactions: [{ messageIndex: 4, tokensBefore: 9 }],
  usages: [
    { messageIndex: 1, inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheWriteTokens: 0 },
    { messageIndex: 3, inputTokens: 1, outputTokens: 3, cacheReadTokens: 5, cacheWriteTokens: 0 },
  ],
  problems: [],
};

const lines = (transcript: Transcript) => parseLines(writeCodex(transcript).join("\n"));
const readAgain = (transcript: Transcript) => readRecords(codexFormat, lines(transcript));

describe("writing a session of Codex", () => {
  test("says all that was read, message by message", () => {
    expect(readAgain(TRANSCRIPT)).toEqual(TRANSCRIPT);
  });

  test("uses the items of the API, with a result of the kind of its call", () => {
    const items = lines(TRANSCRIPT).filter(({ type }) => type === "response_item");
    expect(items.map(({ payload }) => payload.type)).toEqual([
      "message",
      "message",
      "function_call",
      "custom_tool_call",
      "function_call_output",
      "custom_tool_call_output",
      "message",
      "compaction",
      "message",
      "message",
    ]);
    expect(items[2]?.payload.arguments).toBe('{"path":"a.ts"}');
  });

  test("says calls of built-in tools in their own way", () => {
    const search = { ...call("c1", "tool_search", { query: "q" }), item_type: "tool_search_call" };
    const shell = { ...call("c2", "local_shell", { type: "exec" }), item_type: "local_shell_call" };
    const messages = log(
      user(text("Go.")),
      assistant(search, shell),
      user(result("c1", '[{"name":"t"}]')),
      user(result("c2")),
    );
    const transcript = { ...TRANSCRIPT, messages, usages: [], compactions: [] };
    expect(readAgain(transcript)).toEqual(transcript);
    const payloads = lines(transcript).flatMap(({ type, payload }) => (type === "response_item" ? [payload] : []));
    expect(payloads[1]).toMatchObject({ type: "tool_search_call", arguments: { query: "q" } });
    expect(payloads[2]).toMatchObject({ type: "local_shell_call", action: { type: "exec" } });
    expect(payloads[3]).toMatchObject({ type: "tool_search_output", tools: [{ name: "t" }] });
    expect(payloads[4]).toMatchObject({ type: "function_call_output" });
  });

  test("shows in the list of sessions what the person typed, and no context that was added", () => {
    const messages = log(user("<environment_context>"), user("Hello."), user(result("c1")));
    const events = lines({ ...TRANSCRIPT, messages, usages: [], compactions: [] }).filter(
      ({ type }) => type === "event_msg",
    );
    expect(events.map(({ payload }) => payload.message)).toEqual(["Hello."]);
  });

  test("takes what other providers say: reasoning, failures, images and messages without id or time", () => {
    const { messages, problems } = readAgain({
      ...TRANSCRIPT,
      messages: [
        user("Look.", { type: "image", source: { type: "url", url: "https://example.invalid/a.png" } }),
        assistant({ type: "reasoning", text: "Hm.", signature: "S" }, call("c1")),
        user({ ...result("c1"), content: [text("no")], is_error: true }),
      ],
      usages: [],
      compactions: [],
    });
    expect(problems).toEqual([]);
    expect(messages[0]?.content).toHaveLength(2);
    expect(messages[1]?.content).toMatchObject([
      { type: "reasoning", text: "Hm.", signature: "S" },
      { type: "tool_use" },
    ]);
    expect(detectPairs(messages)[0]?.result?.block.content).toEqual([text("no")]);
  });
});
