import { describe, expect, test } from "vitest";
import { expectSurvival, pairCounts, readRecords } from "../../../test/support/transcripts.ts";
import { validateView } from "../../core/message/validate-view.ts";
import { copilotCliFormat } from "./index.ts";

const read = (records: readonly unknown[]) => readRecords(copilotCliFormat, records);

let count = 0;
const event = (type: string, data: object) => ({
  type,
  data,
  id: `e${++count}`,
  parentId: null,
  timestamp: "2026-01-02T03:04:05.000Z",
});
const request = (toolCallId: string) => ({ toolCallId, name: "bash", arguments: { command: toolCallId } });
const complete = (
  toolCallId: string,
  fields: object = { success: true, result: { content: "ok", detailedContent: "OK!" } },
) => event("tool.execution_complete", { toolCallId, ...fields });

const TALK = [
  event("session.start", { sessionId: "s1", context: { cwd: "/work" }, selectedModel: "model-a" }),
  event("system.message", { role: "system", content: "You are an agent." }),
  event("hook.start", { hookType: "userPromptSubmitted" }),
  event("user.message", { content: "Run both.", transformedContent: "<now>\nRun both." }),
  event("assistant.message", {
    model: "model-b",
    content: "I run.",
    reasoningText: "Hm.",
    reasoningOpaque: "opaque",
    toolRequests: [request("c1"), request("c2")],
    outputTokens: 12,
  }),
  event("tool.execution_start", { toolCallId: "c1", toolName: "bash" }),
  complete("c1"),
  event("user.message", { content: "<skill-context>", source: "skill-x" }),
  complete("c2", { success: false, error: { message: "not found" } }),
  event("assistant.message", { content: "Done.", toolRequests: [] }),
];

describe("events", () => {
  test("become messages, with what the model got, and the results first in their turn", () => {
    const { messages, problems } = read(TALK);
    expect(messages.map(({ content }) => content)).toEqual([
      [{ type: "text", text: "<now>\nRun both." }],
      [
        { type: "reasoning", text: "Hm.", reasoningOpaque: "opaque" },
        { type: "text", text: "I run." },
        { type: "tool_use", id: "c1", name: "bash", input: { command: "c1" } },
        { type: "tool_use", id: "c2", name: "bash", input: { command: "c2" } },
      ],
      [{ type: "tool_result", tool_use_id: "c1", content: "ok" }],
      [{ type: "tool_result", tool_use_id: "c2", content: "not found", is_error: true }],
      [{ type: "text", text: "<skill-context>" }],
      [{ type: "text", text: "Done." }],
    ]);
    expect(validateView(messages)).toEqual([]);
    expect(problems).toEqual([]);
  });

  test("tell the session, its prompt, its folder and the model used last", () => {
    expect(read(TALK)).toMatchObject({ sessionId: "s1", systemPrompt: "You are an agent.", modelId: "model-b" });
    expect(read(TALK).workingDirectory).toBe("/work");
  });

  test("of sub-agents are left out, and noted", () => {
    const { messages, problems, modelId } = read([
      ...TALK,
      event("assistant.message", {
        content: "sub",
        model: "small",
        parentToolCallId: "c1",
        toolRequests: [request("c9")],
      }),
      complete("c9", { success: true, result: { content: "x" }, parentToolCallId: "c1" }),
    ]);
    expect(messages).toHaveLength(6);
    expect(modelId).toBe("model-b");
    expect(problems).toEqual([{ where: "line 11", reason: "2 event(s) of sub-agents were left out, from here on." }]);
  });

  test("keep a call that was interrupted, and notices of the system", () => {
    const { messages } = read([
      event("user.message", { content: "go" }),
      event("assistant.message", { content: "", toolRequests: [request("c1")] }),
      event("system.notification", { content: "A shell has ended." }),
    ]);
    expect(pairCounts(messages)).toEqual({ calls: 1, results: 0 });
    expect(messages[2]?.content).toEqual([{ type: "text", text: "A shell has ended." }]);
  });

  test("that compact between a call and its result never part them", () => {
    const { messages, compactions } = read([
      event("user.message", { content: "go" }),
      event("assistant.message", { content: "", toolRequests: [request("c1")] }),
      event("session.compaction_start", { conversationTokens: 5 }),
      event("session.compaction_complete", { success: true, preCompactionTokens: 900, summaryContent: "So far." }),
      complete("c1"),
      event("session.compaction_complete", { success: false }),
    ]);
    expect(compactions).toEqual([{ messageIndex: 3, summary: "So far.", tokensBefore: 900 }]);
    expect(messages[3]?.content).toEqual([{ type: "text", text: "So far." }]);
    expect(validateView(messages)).toEqual([]);
  });
});

describe("hostile files", () => {
  test("of any kind are read", () => {
    expectSurvival(read, [
      ...TALK,
      event("session.compaction_complete", { success: true, preCompactionTokens: 9, summaryContent: "So far." }),
    ]);
  });

  test("with the same event twice show it once", () => {
    const { messages, problems } = read([...TALK, TALK[3]]);
    expect(messages).toHaveLength(6);
    expect(problems).toHaveLength(1);
  });

  test("of other agents are not taken for ours", () => {
    expect(copilotCliFormat.detect([{ type: "message", data: {} }, null, { type: "user.message", data: 7 }])).toBe(
      false,
    );
    expect(copilotCliFormat.detect(TALK.slice(0, 1))).toBe(true);
  });
});
