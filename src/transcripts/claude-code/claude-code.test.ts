import { describe, expect, test } from "vitest";
import { expectSurvival, expectWellFormed, pairCounts, readRecords } from "../../../test/support/transcripts.ts";
import { validateView } from "../../core/message/validate-view.ts";
import { claudeCodeFormat } from "./index.ts";

const read = (records: readonly unknown[]) => readRecords(claudeCodeFormat, records);

const ENVELOPE = { isSidechain: false, sessionId: "s1", cwd: "/work", timestamp: "2026-01-02T03:04:05.000Z" };

function userLine(uuid: string, parentUuid: string | null, content: unknown, fields: object = {}) {
  return { ...ENVELOPE, type: "user", uuid, parentUuid, message: { role: "user", content }, ...fields };
}

function replyLine(uuid: string, parentUuid: string | null, reply: { id: string; block: object; usage?: object }) {
  const message = { id: reply.id, role: "assistant", model: "claude-x", content: [reply.block], usage: reply.usage };
  return { ...ENVELOPE, type: "assistant", uuid, parentUuid, requestId: `req-${reply.id}`, message };
}

const call = (id: string) => ({ type: "tool_use", id, name: "Read", input: { path: id } });
const result = (id: string) => [{ type: "tool_result", tool_use_id: id, content: `content of ${id}` }];
const usage = (output: number) => ({ input_tokens: 3, cache_read_input_tokens: 50, output_tokens: output });

/** Two parallel calls, written one block to a line, with the first result between them. */
const PARALLEL = [
  userLine("u1", null, "Read both."),
  replyLine("a1", "u1", { id: "m1", block: { type: "thinking", thinking: "", signature: "S" }, usage: usage(1) }),
  replyLine("a2", "a1", { id: "m1", block: call("c1"), usage: usage(1) }),
  { ...ENVELOPE, type: "progress", uuid: "p1", parentUuid: "a2", data: { type: "hook_progress" } },
  userLine("r1", "a2", result("c1"), { toolUseResult: { stdout: "content of c1" } }),
  replyLine("a3", "a2", { id: "m1", block: call("c2"), usage: usage(90) }),
  userLine("r2", "a3", result("c2")),
  replyLine("a4", "r2", { id: "m2", block: { type: "text", text: "Done." }, usage: usage(7) }),
];

describe("replies", () => {
  test("become one message each, before the results of their calls, with the last usage counted once", () => {
    const { messages, usages } = read(PARALLEL);
    expect(messages.map(({ id }) => id)).toEqual(["u1", "m1", "r1", "r2", "m2"]);
    expect(messages[1]?.content).toEqual([{ type: "reasoning", text: "", signature: "S" }, call("c1"), call("c2")]);
    expect(validateView(messages)).toEqual([]);
    expect(usages).toEqual([
      { messageIndex: 1, inputTokens: 3, outputTokens: 90, cacheReadTokens: 50, cacheWriteTokens: 0 },
      { messageIndex: 4, inputTokens: 3, outputTokens: 7, cacheReadTokens: 50, cacheWriteTokens: 0 },
    ]);
  });

  test("of a proxy that gives all the same id stay apart", () => {
    const { messages } = read([
      userLine("u1", null, "one"),
      replyLine("a1", "u1", { id: "same", block: { type: "text", text: "first" } }),
      userLine("u2", "a1", "two"),
      replyLine("a2", "u2", { id: "same", block: { type: "text", text: "second" } }),
    ]);
    expect(messages.map(({ id }) => id)).toEqual(["u1", "same", "u2", "same#2"]);
  });

  test("keep a call that was interrupted, and blocks that we do not know", () => {
    const redacted = { type: "redacted_thinking", data: "opaque" };
    const { messages } = read([
      userLine("u1", null, "go"),
      replyLine("a1", "u1", { id: "m1", block: redacted }),
      replyLine("a2", "a1", { id: "m1", block: call("c1") }),
    ]);
    expect(messages[1]?.content).toEqual([redacted, call("c1")]);
    expect(pairCounts(messages)).toEqual({ calls: 1, results: 0 });
  });

  test("lose blank text, which no provider takes", () => {
    const { messages } = read([
      userLine("u1", null, "go"),
      replyLine("a1", "u1", { id: "m1", block: { type: "text", text: "\n\n" } }),
      replyLine("a2", "a1", { id: "m1", block: { type: "text", text: "words" } }),
    ]);
    expect(messages[1]?.content).toEqual([{ type: "text", text: "words" }]);
  });
});

describe("the tree", () => {
  test("gives the branch of the newest line, and says what it left out", () => {
    const { messages, problems } = read([
      userLine("u1", null, "start"),
      replyLine("a1", "u1", { id: "m1", block: { type: "text", text: "hello" } }),
      userLine("u2", "a1", "a question that was edited"),
      replyLine("a2", "u2", { id: "m2", block: { type: "text", text: "its answer" } }),
      userLine("u3", "a1", "the edited question"),
      replyLine("a3", "u3", { id: "m3", block: { type: "text", text: "the answer" } }),
    ]);
    expect(messages.map(({ id }) => id)).toEqual(["u1", "m1", "u3", "m3"]);
    expect(problems).toEqual([{ where: "line 3", reason: expect.stringContaining("2 record(s) of a branch") }]);
  });

  test("is followed where a line was written before its parent", () => {
    const { messages, problems } = read([
      userLine("u1", null, "start"),
      userLine("r1", "a1", result("c1")),
      replyLine("a1", "u1", { id: "m1", block: call("c1") }),
      replyLine("a2", "r1", { id: "m2", block: { type: "text", text: "ok" } }),
    ]);
    expect(messages.map(({ id }) => id)).toEqual(["u1", "m1", "r1", "m2"]);
    expect(problems).toEqual([]);
  });

  test("survives parents that are missing or go round in circles, and loses nothing", () => {
    const { messages, problems } = read([
      userLine("u1", "u3", "one"),
      userLine("u2", "gone", "two"),
      userLine("u3", "u3", "three"),
    ]);
    expect(messages.map(({ id }) => id)).toEqual(["u1", "u2", "u3"]);
    expect(problems.map(({ where }) => where)).toEqual(["line 1", "line 2", "line 3"]);
  });

  test("leaves sub-agents out, except in their own file", () => {
    const side = userLine("s1", null, "a task", { isSidechain: true });
    const both = read([userLine("u1", null, "start"), side]);
    expect(both.messages.map(({ id }) => id)).toEqual(["u1"]);
    expect(both.problems[0]?.reason).toContain("1 record(s) of sub-agents");
    expect(read([side]).messages.map(({ id }) => id)).toEqual(["s1"]);
  });

  test("passes over a line that is there twice, and says so where the second differs", () => {
    const line = userLine("u1", null, "start");
    expect(read([line, line]).problems).toEqual([]);
    const { messages, problems } = read([line, userLine("u1", null, "other")]);
    expect(messages).toHaveLength(1);
    expect(problems[0]?.reason).toContain("same uuid");
  });
});

describe("what surrounds the talk", () => {
  test("compactions keep the old messages, and say where the new context starts", () => {
    const { messages, compactions, problems } = read([
      userLine("u1", null, "start"),
      replyLine("a1", "u1", { id: "m1", block: { type: "text", text: "hello" } }),
      {
        ...ENVELOPE,
        type: "system",
        subtype: "compact_boundary",
        uuid: "b1",
        parentUuid: null,
        logicalParentUuid: "gone",
        compactMetadata: { trigger: "auto", preTokens: 167_000 },
      },
      userLine("u2", "b1", "The story so far.", { isCompactSummary: true, isVisibleInTranscriptOnly: true }),
      replyLine("a2", "u2", { id: "m2", block: { type: "text", text: "on we go" } }),
    ]);
    expect(messages.map(({ id }) => id)).toEqual(["u1", "m1", "u2", "m2"]);
    expect(compactions).toEqual([{ messageIndex: 2, summary: "The story so far.", tokensBefore: 167_000 }]);
    expect(problems).toEqual([]);
  });

  test("a file that only continues another one starts with its summary", () => {
    const { compactions } = read([userLine("u1", null, "The story so far.", { isCompactSummary: true })]);
    expect(compactions).toEqual([{ messageIndex: 0, summary: "The story so far." }]);
  });

  test("attachments are told to the model; what hooks tell the person is not", () => {
    const attach = (uuid: string, parentUuid: string, attachment: object) => ({
      ...ENVELOPE,
      type: "attachment",
      uuid,
      parentUuid,
      attachment,
    });
    const { messages } = read([
      userLine("u1", null, "start"),
      attach("t1", "u1", { type: "hook_system_message", content: "Linked to a commit." }),
      attach("t2", "t1", { type: "hook_additional_context", content: ["Be", "brief."] }),
      attach("t3", "t2", { type: "file", filename: "a.ts", content: { type: "text", file: { content: "let a;" } } }),
      attach("t4", "t3", { type: "queued_command", prompt: [{ type: "text", text: "and tests" }] }),
      attach("t5", "t4", { type: "auto_mode" }),
      { ...ENVELOPE, type: "system", subtype: "local_command", content: "/cost", uuid: "l1", parentUuid: "t5" },
    ]);
    expect(messages.map(({ content }) => content)).toEqual([
      "start",
      "Be\nbrief.",
      "a.ts\nlet a;",
      [{ type: "text", text: "and tests" }],
      "/cost",
    ]);
  });

  test("the session, its folder, its model and its times are known", () => {
    const transcript = read([...PARALLEL, replyLine("a5", "a4", { id: "m3", block: { type: "text", text: "." } })]);
    expect(transcript).toMatchObject({ sessionId: "s1", workingDirectory: "/work", modelId: "claude-x" });
    expect(transcript.messages[0]?.ts).toBe(Date.UTC(2026, 0, 2, 3, 4, 5));
  });
});

describe("hostile files", () => {
  test("of any kind are read", () => {
    expectSurvival(read, [
      ...PARALLEL,
      { ...ENVELOPE, type: "attachment", uuid: "t1", parentUuid: "a4", attachment: { type: "x", content: ["y"] } },
      { ...ENVELOPE, type: "system", subtype: "compact_boundary", uuid: "b1", parentUuid: null },
      userLine("u9", "b1", "summary", { isCompactSummary: true }),
    ]);
  });

  test("without ids are read in their order", () => {
    const { messages } = read([
      { type: "user", message: { content: "one" } },
      { type: "assistant", message: { content: "two" } },
    ]);
    expect(messages).toEqual([
      { role: "user", content: "one", id: "line-1" },
      { role: "assistant", content: [{ type: "text", text: "two" }], id: "line-2" },
    ]);
  });

  test("of a hundred thousand lines in one chain are read", () => {
    const lines = Array.from({ length: 100_000 }, (_, index) =>
      userLine(`u${index}`, index === 0 ? null : `u${index - 1}`, `line ${index}`),
    );
    const transcript = read(lines);
    expectWellFormed(transcript);
    expect(transcript.messages).toHaveLength(100_000);
  });

  test("of other agents are not taken for ours", () => {
    expect(claudeCodeFormat.detect([{ type: "session", id: "x", cwd: "/" }])).toBe(false);
    expect(claudeCodeFormat.detect([null, 7, "x", { role: "user", content: "y" }])).toBe(false);
    expect(claudeCodeFormat.detect([{ type: "summary", summary: "t", leafUuid: "u" }])).toBe(true);
    expect(claudeCodeFormat.detect(PARALLEL)).toBe(true);
  });
});
