import { expect, test } from "vitest";
import type { Message } from "../../core/message/message.ts";
import { asksForSummary } from "./incoming-request.ts";

const ANSWER: Message = { role: "assistant", content: "All notes are read." };
const result = { type: "tool_result", tool_use_id: "t1", content: "line" };

test.each([
  [[{ type: "text", text: "CRITICAL: Respond with TEXT ONLY. Do NOT call any tools." }]],
  [[result, { type: "text", text: "CRITICAL: Respond with TEXT ONLY." }]],
  [[result, { type: "text", text: "CRITICAL: Respond with TEXT ONLY." }, { type: "text", text: "9 tokens left" }]],
  ["You are performing a CONTEXT CHECKPOINT COMPACTION. Create a handoff summary."],
  ["First, reason in your scratchpad. Then, produce the <state_snapshot> XML."],
  ["Your task is to create a detailed summary of the conversation so far."],
  ["Please create a detailed summary of the conversation so far. The history is being compacted so moving forward, …"],
  ["You are the component that summarizes a conversation when its context window is about to overflow."],
  [
    "Create a new anchored summary from the conversation history in the <conversation> tags above so another agent can …",
  ],
  ["Here is the summary of the conversation before the <conversation> above:\n<prior-summary>"],
  [
    "The messages above are a conversation to summarize. Create a structured context checkpoint summary that another LLM …",
  ],
  ["The messages above are NEW conversation messages to incorporate into the existing summary provided in …"],
  ["Create a concise checkpoint of the user's request and the progress shown above."],
  ["Create a structured summary of this conversation branch for context when returning later."],
  ["Summarize this session for continuation."],
  ["Provide a detailed summary of our conversation above.\n\n## Current Todo List"],
  ["Please summarize the conversation history provided in the system prompt."],
  [`<conversation>${"said ".repeat(50_000)}</conversation>\n\nCreate a structured context checkpoint summary.`],
])("%j asks for a summary", (content) => {
  expect(asksForSummary([ANSWER, { role: "user", content }])).toBe(true);
});

test("what was asked before, what a tool returned, and what a person asks for do not", () => {
  const target: Message = { role: "user", content: "Then produce the <state_snapshot> XML." };
  expect(asksForSummary([target, ANSWER])).toBe(false);
  expect(asksForSummary([{ role: "user", content: [{ ...result, content: "<state_snapshot>" }] }])).toBe(false);
  expect(asksForSummary([{ role: "user", content: "Please summarise the report in three lines." }])).toBe(false);
  expect(asksForSummary([])).toBe(false);
});
