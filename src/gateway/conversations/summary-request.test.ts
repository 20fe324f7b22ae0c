import { expect, test } from "vitest";
import type { Message } from "../../core/message/message.ts";
import { asksForSummary } from "./summary-request.ts";

const ANSWER: Message = { role: "assistant", content: "All notes are read." };
const result = { type: "tool_result", tool_use_id: "t1", content: "line" };

test.each([
  [[{ type: "text", text: "CRITICAL: Respond with TEXT ONLY. Do NOT call any tools." }]],
  [[result, { type: "text", text: "CRITICAL: Respond with TEXT ONLY." }]],
  [[result, { type: "text", text: "CRITICAL: Respond with TEXT ONLY." }, { type: "text", text: "9 tokens left" }]],
  ["You are performing a CONTEXT CHECKPOINT COMPACTION. Create a handoff summary."],
  ["First, reason in your scratchpad. Then, produce the <state_snapshot> XML."],
  ["Your task is to create a detailed summary of the conversation so far."],
])("%j asks for a summary", (content) => {
  expect(asksForSummary([ANSWER, { role: "user", content }])).toBe(true);
});

test("what was asked before, what a tool returned, and what a person asks for do not", () => {
  const asked: Message = { role: "user", content: "Then produce the <state_snapshot> XML." };
  expect(asksForSummary([asked, ANSWER])).toBe(false);
  expect(asksForSummary([{ role: "user", content: [{ ...result, content: "<state_snapshot>" }] }])).toBe(false);
  expect(asksForSummary([{ role: "user", content: "Please summarise the report in three lines." }])).toBe(false);
  expect(asksForSummary([])).toBe(false);
});
