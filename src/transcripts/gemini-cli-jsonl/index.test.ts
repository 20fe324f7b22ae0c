import { describe, expect, test } from "vitest";
import {
  countTexts,
  detects,
  faultsOfBroken,
  measure,
  readAs,
  recordsOf,
} from "../../../test/support/format-checks.ts";
import { deepFreeze, ids } from "../../../test/support/messages.ts";
import { realTranscripts } from "../../../test/support/real-transcripts.ts";
import { fieldAt } from "../../core/json/read-json.ts";
import { geminiCliJsonlFormat } from "./index.ts";

const HEADER = { sessionId: "s1", projectHash: "abc", startTime: "2026-04-23T12:52:52.759Z", kind: "main" };
const user = (id: string, text: string) => ({ id, type: "user", content: [{ text }] });
const reply = (id: string, text: string, more: object = {}) => ({ id, type: "gemini", content: text, ...more });
const call = (status: string, result?: object[]) => ({
  toolCalls: [{ id: "c1", name: "ls", args: {}, status, result }],
});
const done = [{ functionResponse: { id: "c1", name: "ls", response: { output: "a.ts" } } }];
const tokens = { input: 10, output: 2, cached: 0 };

const read = (...records: readonly unknown[]) => readAs(geminiCliJsonlFormat, [HEADER, ...records]);

describe("the Gemini CLI's lines", () => {
  test("a record that is written again keeps its place, and says what it said last", () => {
    const { messages, usages } = read(
      user("u1", "list"),
      reply("g1", "", { tokens, ...call("executing") }),
      { $set: { lastUpdated: "2026-04-23T12:53:11.257Z" } },
      user("u2", "and?"),
      reply("g1", "", { tokens, ...call("success", done) }),
    );
    expect(ids(messages)).toEqual(["u1", "g1", "g1/results", "u2"]);
    expect(messages[2]?.content).toEqual([{ type: "tool_result", tool_use_id: "c1", content: "a.ts" }]);
    expect(usages).toHaveLength(1);
  });

  test("a rewind takes back its target and all after it, and says so", () => {
    const { messages, problems } = read(
      user("u1", "a"),
      reply("g1", "b"),
      user("u2", "c"),
      reply("g2", "d"),
      { $rewindTo: "u2" },
      user("u3", "e"),
    );
    expect(ids(messages)).toEqual(["u1", "g1", "u3"]);
    expect(problems).toEqual([{ where: "line 6", reason: expect.stringContaining("2 record(s) were taken back") }]);
  });

  test("a rewind to nowhere takes nothing back", () => {
    const { messages, problems } = read(user("u1", "a"), { $rewindTo: "nowhere" });
    expect(ids(messages)).toEqual(["u1"]);
    expect(problems).toHaveLength(1);
  });

  test("a compression adds the summary and loses nothing; records that it kept are not repeated", () => {
    const { messages, compactions, problems } = read(
      user("u1", "first"),
      reply("g1", "answer"),
      user("u2", "kept"),
      { id: "i1", type: "info", content: "Chat history compressed from 9000 to 1200 tokens." },
      { $set: { messages: [user("x1", "<state_snapshot>"), reply("x2", "Got it."), user("x3", "kept")] } },
      reply("g2", "on we go"),
      { $rewindTo: "x3" },
    );
    expect(ids(messages)).toEqual(["u1", "g1"]);
    expect(problems).toHaveLength(1);
    const before = read(
      user("u1", "first"),
      user("u2", "kept"),
      { $set: { messages: [user("x1", "<state_snapshot>"), user("x3", "kept")] } },
      reply("g2", "on"),
    );
    expect(ids(before.messages)).toEqual(["u1", "u2", "x1", "g2"]);
    expect(before.compactions).toEqual([{ messageIndex: 2, summary: "<state_snapshot>" }]);
    expect(compactions).toEqual([]);
  });

  test("the notice of a compression and the history after it are one compaction", () => {
    const { compactions } = read(
      user("u1", "first"),
      { id: "i1", type: "info", content: "Chat history compressed from 9000 to 1200 tokens." },
      { $set: { messages: [user("x1", "<state_snapshot>")] } },
    );
    expect(compactions).toEqual([{ messageIndex: 1, tokensBefore: 9_000, summary: "<state_snapshot>" }]);
  });

  test("a history that is a beginning of the old one rolls back an aborted turn", () => {
    const { messages, compactions } = read(user("u1", "a"), reply("g1", "b"), user("u2", "never mind"), {
      $set: { messages: [user("u1", "a"), reply("g1", "b")] },
    });
    expect(ids(messages)).toEqual(["u1", "g1"]);
    expect(compactions).toEqual([]);
    expect(read(user("u1", "a"), { $set: { messages: [] } }).messages).toHaveLength(1);
  });

  test("a history at the start of the session is read like records", () => {
    const { messages, workingDirectory } = read(
      { $set: { messages: [user("s0", "context")], directories: ["/work"] } },
      user("u1", "a"),
    );
    expect(ids(messages)).toEqual(["s0", "u1"]);
    expect(workingDirectory).toBe("/work");
  });

  test("a document on one line is none of its own", () => {
    expect(detects(geminiCliJsonlFormat, [HEADER])).toBe(true);
    expect(detects(geminiCliJsonlFormat, [{ ...HEADER, messages: [user("u1", "a")] }])).toBe(false);
  });

  test("whatever is broken in it, what is read is well-formed", () => {
    const records = [
      HEADER,
      user("u1", "a"),
      reply("g1", "b", { tokens, ...call("success", done) }),
      { $set: { messages: [user("x", "s")] } },
      { $rewindTo: "x" },
    ];
    expect(faultsOfBroken(geminiCliJsonlFormat, deepFreeze(records))).toEqual([]);
  });
});

test("sessions of real agents: whole pairs, valid views, all tokens", ({ skip }) => {
  const files = realTranscripts("gemini-cli-jsonl");
  if (files.length === 0) skip();
  for (const file of files) {
    const records = recordsOf(file);
    expect(detects(geminiCliJsonlFormat, records)).toBe(true);
    const last = [
      ...new Map(
        records
          .filter((record) => fieldAt(record, "id") !== undefined)
          .map((record) => [fieldAt(record, "id"), record]),
      ).values(),
    ];
    const calls = last.flatMap((record) => fieldAt(record, "toolCalls") ?? []);
    const { tokens: counted, users: _, ...measured } = measure(readAs(geminiCliJsonlFormat, records));
    const replies = last.filter((record) => fieldAt(record, "type") === "gemini");
    expect(measured).toEqual({
      assistants: replies.length,
      calls: calls.length,
      openCalls: 0,
      viewProblems: [],
      faults: [],
    });
    const expected = countTexts([
      ...last.flatMap((record) =>
        fieldAt(record, "type") === "info" ? [] : [fieldAt(record, "content", 0, "text") ?? fieldAt(record, "content")],
      ),
      ...replies.flatMap((record) => [fieldAt(record, "thoughts")].flat().map((each) => fieldAt(each, "description"))),
      ...calls.flatMap((each) => [
        fieldAt(each, "args"),
        fieldAt(each, "result", 0, "functionResponse", "response", "output"),
      ]),
    ]);
    expect(counted / expected).toBeGreaterThan(0.97);
    expect(counted / expected).toBeLessThan(1.04);
  }
});
