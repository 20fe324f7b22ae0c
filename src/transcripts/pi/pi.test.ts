import { describe, expect, test } from "vitest";
import { expectSurvival, pairCounts, readRecords } from "../../../test/support/transcripts.ts";
import { validateView } from "../../core/message/validate-view.ts";
import { piFormat } from "./index.ts";

const read = (records: readonly unknown[]) => readRecords(piFormat, records);

const TIME = "2026-01-02T03:04:05.000Z";
const SESSION = { type: "session", version: 3, id: "s1", cwd: "/work", timestamp: TIME };

function line(id: string, parentId: string | null, message: object) {
  return { type: "message", id, parentId, timestamp: TIME, message };
}

const user = (text: string) => ({ role: "user", content: [{ type: "text", text }] });
const reply = (...content: readonly object[]) => ({
  role: "assistant",
  content,
  model: "model-a",
  usage: { input: 5, output: 6, cacheRead: 7, cacheWrite: 8, totalTokens: 26 },
});
const call = (id: string) => ({ type: "toolCall", id, name: "read", arguments: { path: id } });
const result = (toolCallId: string, fields: object = {}) => ({
  role: "toolResult",
  toolCallId,
  toolName: "read",
  content: [{ type: "text", text: `content of ${toolCallId}` }],
  ...fields,
});

const TALK = [
  SESSION,
  { type: "model_change", id: "x1", parentId: null, timestamp: TIME, provider: "p", modelId: "model-0" },
  line("u1", "x1", user("Read both.")),
  line("a1", "u1", reply({ type: "thinking", thinking: "Hm.", thinkingSignature: "S" }, call("c1"), call("c2"))),
  line("r1", "a1", result("c1")),
  line("r2", "r1", result("c2", { isError: true })),
  line("a2", "r2", reply({ type: "text", text: "Done." })),
];

describe("messages", () => {
  test("carry thoughts with their signature, calls and their results", () => {
    const { messages, usages } = read(TALK);
    expect(messages.map(({ id }) => id)).toEqual(["u1", "a1", "r1", "r2", "a2"]);
    expect(messages[1]?.content).toEqual([
      { type: "reasoning", text: "Hm.", thinkingSignature: "S" },
      { type: "tool_use", id: "c1", name: "read", input: { path: "c1" } },
      { type: "tool_use", id: "c2", name: "read", input: { path: "c2" } },
    ]);
    expect(messages[3]?.content).toEqual([
      { type: "tool_result", tool_use_id: "c2", content: [{ type: "text", text: "content of c2" }], is_error: true },
    ]);
    expect(validateView(messages)).toEqual([]);
    expect(usages[0]).toEqual({
      messageIndex: 1,
      inputTokens: 5,
      outputTokens: 6,
      cacheReadTokens: 7,
      cacheWriteTokens: 8,
    });
  });

  test("know the session, its folder and the model that really answered", () => {
    const changed = { type: "model_change", id: "x2", parentId: "a2", modelId: "never-used" };
    expect(read([...TALK, changed])).toMatchObject({ sessionId: "s1", workingDirectory: "/work", modelId: "model-a" });
  });

  test("leave out replies that were aborted before a word, and keep those that were interrupted later", () => {
    const { messages } = read([
      SESSION,
      line("u1", null, user("go")),
      line("a1", "u1", reply()),
      line("a2", "a1", reply(call("c1"))),
    ]);
    expect(messages.map(({ id }) => id)).toEqual(["u1", "a2"]);
    expect(pairCounts(messages)).toEqual({ calls: 1, results: 0 });
  });

  test("hold images, commands of the person and messages of extensions", () => {
    const bash = { role: "bashExecution", command: "ls", output: "a.ts", exitCode: 2 };
    const { messages } = read([
      SESSION,
      line("u1", null, { role: "user", content: [{ type: "image", data: "AAAA", mimeType: "image/png" }] }),
      line("u2", "u1", bash),
      line("u3", "u2", { ...bash, excludeFromContext: true }),
      { type: "custom_message", id: "u4", parentId: "u3", content: "from an extension", display: true },
      { type: "custom", id: "u5", parentId: "u4", data: { not: "seen" } },
      { type: "branch_summary", id: "u6", parentId: "u5", summary: "What another branch found." },
    ]);
    expect(messages.map(({ content }) => content)).toEqual([
      [{ type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } }],
      "$ ls\na.ts\n(exit code 2)",
      "from an extension",
      [{ type: "text", text: "What another branch found." }],
    ]);
  });

  test("of the first version, which has no ids, are read in their order", () => {
    const { messages, problems } = read([
      { type: "session", id: "s1", timestamp: TIME, cwd: "/work", modelId: "model-0" },
      { type: "message", timestamp: TIME, message: user("one") },
      { type: "message", timestamp: TIME, message: reply({ type: "text", text: "two" }) },
    ]);
    expect(messages.map(({ id }) => id)).toEqual(["line-2", "line-3"]);
    expect(problems).toEqual([]);
  });
});

describe("the tree", () => {
  test("gives the branch of the newest line, and says what it left out", () => {
    const { messages, problems } = read([
      ...TALK,
      line("u2", "a1", user("Another way.")),
      line("u3", "u2", user("Go.")),
    ]);
    expect(messages.map(({ id }) => id)).toEqual(["u1", "a1", "u2", "u3"]);
    expect(problems).toEqual([
      { where: "line 5", reason: "3 record(s) of other branches were left out, from here on." },
    ]);
  });

  test("survives parents that are missing or go round in circles, and loses nothing", () => {
    const { messages, problems } = read([
      SESSION,
      line("u1", "u3", user("one")),
      line("u2", "gone", user("two")),
      line("u3", "u3", user("three")),
    ]);
    expect(messages.map(({ id }) => id)).toEqual(["u1", "u2", "u3"]);
    expect(problems).toHaveLength(3);
  });
});

describe("compactions", () => {
  const compaction = (fields: object) => ({
    type: "compaction",
    id: "k1",
    parentId: "a2",
    timestamp: TIME,
    summary: "So far.",
    tokensBefore: 900,
    ...fields,
  });

  test("stand before the first message that was kept", () => {
    const { messages, compactions } = read([
      ...TALK,
      compaction({ firstKeptEntryId: "a2" }),
      line("u2", "k1", user("Next.")),
    ]);
    expect(messages.map(({ id }) => id)).toEqual(["u1", "a1", "r1", "r2", "k1", "a2", "u2"]);
    expect(compactions).toEqual([{ messageIndex: 4, summary: "So far.", tokensBefore: 900 }]);
  });

  test("never part a call from its results", () => {
    const { messages } = read([...TALK, compaction({ firstKeptEntryId: "r2" })]);
    expect(messages.map(({ id }) => id)).toEqual(["u1", "k1", "a1", "r1", "r2", "a2"]);
    expect(validateView(messages)).toEqual([]);
  });

  test("that name nothing stand where they are; the first version counts lines", () => {
    expect(read([...TALK, compaction({ firstKeptEntryId: "gone" })]).messages.at(-1)?.id).toBe("k1");
    const { messages } = read([...TALK, compaction({ firstKeptEntryIndex: 6 })]);
    expect(messages.map(({ id }) => id).slice(-2)).toEqual(["k1", "a2"]);
  });
});

describe("hostile files", () => {
  test("of any kind are read", () => {
    expectSurvival(read, [
      ...TALK,
      { type: "compaction", id: "k1", parentId: "a2", summary: "x", tokensBefore: 3, firstKeptEntryId: "r2" },
      { type: "custom_message", id: "u4", parentId: "k1", content: [{ type: "text", text: "y" }] },
    ]);
  });

  test("with the same id twice show the first, and say so", () => {
    const { messages, problems } = read([...TALK, line("u1", "a2", user("again"))]);
    expect(messages).toHaveLength(5);
    expect(problems[0]?.reason).toContain("same id");
  });

  test("of other agents are not taken for ours", () => {
    expect(piFormat.detect([{ type: "session", id: "x" }, null, 7])).toBe(false);
    expect(piFormat.detect(TALK)).toBe(true);
  });
});
