import { describe, expect, test } from "vitest";
import { assistant, call, result, tag, text, user } from "../../../test/support/messages.ts";
import type { Message } from "../message/message.ts";
import { assembleTranscript, type RequestUsage, type TranscriptEntry } from "./assemble-transcript.ts";

const said = (message: Message, usage?: RequestUsage): TranscriptEntry => ({ type: "message", message, usage });
const assemble = (...entries: readonly TranscriptEntry[]) => assembleTranscript(entries, { format: "x", problems: [] });
const USAGE = { inputTokens: 1, outputTokens: 2, cacheReadTokens: 0, cacheWriteTokens: 0 };

describe("assembleTranscript", () => {
  test("puts the results of parallel calls before what else their turn says", () => {
    const { messages } = assemble(
      said(assistant(call("c1"), call("c2"))),
      said(user(result("c1"))),
      said(user("a notice")),
      said(user(result("c2"))),
      said(assistant("ok")),
    );
    expect(messages).toEqual([
      assistant(call("c1"), call("c2")),
      user(result("c1")),
      user(result("c2")),
      user("a notice"),
      assistant("ok"),
    ]);
  });

  test("moves a compaction, with its summary, behind the results that it came between", () => {
    const { messages, compactions } = assemble(
      said(assistant(call("c1"))),
      { type: "compaction", summary: "so far" },
      said(user("so far")),
      said(user(result("c1"))),
    );
    expect(messages.slice(1)).toEqual([user(result("c1")), user("so far")]);
    expect(compactions).toEqual([{ messageIndex: 2, summary: "so far" }]);
  });

  test("leaves results of earlier turns, and of no call, where they are", () => {
    const entries = [
      assistant(call("c1")),
      user("hm"),
      assistant("well"),
      user("late:"),
      user(result("c1")),
      user(result("c9")),
    ];
    expect(assemble(...entries.map((message) => said(message))).messages).toEqual(entries);
  });

  test("leaves out what has no visible content, and keeps the objects of the rest", () => {
    const whole = user(text("a"));
    const { messages } = assemble(
      said(whole),
      said(user(" \n")),
      said(assistant()),
      said(assistant(text(" "), text("b"))),
      said(user({ ...result("c1"), content: [text(""), text("c")] })),
    );
    expect(messages).toEqual([user(text("a")), assistant(text("b")), user({ ...result("c1"), content: [text("c")] })]);
    expect(messages[0]).toBe(whole);
  });

  test("makes ids unique, and lets usage follow its reply", () => {
    const { messages, usages } = assemble(
      said(tag(assistant(call("c1")), { id: "a" }), USAGE),
      said(tag(user("late"), { id: "a" })),
      said(tag(user(result("c1")), { id: "b" })),
      said(tag(assistant("ok"), { id: "a" }), USAGE),
      said(assistant("free"), { ...USAGE, inputTokens: 0, outputTokens: 0 }),
    );
    expect(messages.map(({ id }) => id)).toEqual(["a", "b", "a#2", "a#3", undefined]);
    expect(usages.map(({ messageIndex }) => messageIndex)).toEqual([0, 3]);
  });

  test("tells what is known of the session, and no more", () => {
    const problems = [{ where: "line 1", reason: "broken" }];
    const transcript = assembleTranscript([], { format: "x", problems, sessionId: "s", modelId: undefined });
    expect(transcript).toEqual({ format: "x", messages: [], sessionId: "s", compactions: [], usages: [], problems });
    expect("modelId" in transcript).toBe(false);
  });
});
