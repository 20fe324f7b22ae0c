import { expect, test } from "vitest";
import { call } from "../../../../test/support/messages.ts";
import type { CondensationPlan } from "../condensation-plan.ts";
import { summaryMessage } from "./summary-message.ts";

const PLAN: CondensationPlan = {
  type: "condense",
  condenseId: "condense-1",
  trims: [],
  hidden: [1, 2],
  total: { messages: 2, tokens: 1_234 },
  toSummarize: [],
  carried: [],
  ts: 999,
};
const NOTICE = "[2 earlier messages: 1,234 tokens hidden in fold condense-1]";
const synthetic = { type: "reasoning", text: expect.stringMatching(/\w/) };

test("is the assistant's: synthetic reasoning, the text, and what brings the hidden back", () => {
  expect(summaryMessage(PLAN, "All is well.")).toEqual({
    id: "condense-1",
    role: "assistant",
    content: [synthetic, { type: "text", text: "All is well." }, { type: "text", text: NOTICE }],
    ts: 999,
    isSummary: true,
    condenseId: "condense-1",
  });
});

test("carries reasoning before the text and tool calls after it, untouched", () => {
  const signed = { type: "reasoning", text: "look first", signature: "c2ln" };
  const { content } = summaryMessage({ ...PLAN, carried: [signed, call("c1"), call("c2")] }, "All is well.");
  expect(content).toEqual([
    synthetic,
    signed,
    { type: "text", text: "All is well." },
    { type: "text", text: NOTICE },
    call("c1"),
    call("c2"),
  ]);
  expect(content[1]).toBe(signed);
});

test("does not repeat the synthetic reasoning of a summary whose calls it carries on", () => {
  const [reasoning] = summaryMessage(PLAN, "First.").content;
  if (typeof reasoning !== "object") throw new Error("the first block is reasoning");
  const { content } = summaryMessage({ ...PLAN, carried: [reasoning, call("c1")] }, "Second.");
  expect(content).toHaveLength(4);
});

test("has no time where none is planned", () => {
  const { ts: _ts, ...timeless } = PLAN;
  expect(summaryMessage(timeless, "All is well.")).not.toHaveProperty("ts");
});
