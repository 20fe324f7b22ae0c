import { describe, expect, test } from "vitest";
import { anthropicClearing, clearedIn } from "./clearing.ts";

const THINKING = { type: "clear_thinking_20251015", keep: { type: "thinking_turns", value: 2 } };
const RESULTS = { type: "clear_tool_uses_20250919", keep: { type: "tool_uses", value: 1 } };
const COMPACT = { type: "compact_20260112" };

const bodyOf = (...edits: readonly unknown[]) =>
  `{"model":"m", "context_management" : ${JSON.stringify({ edits })},"n":1.50,"messages":[ ]}`;

describe("a body that asks for clearing no longer", () => {
  test("keeps all other bytes, and all other edits", () => {
    const body = bodyOf(THINKING, RESULTS, COMPACT);
    expect(anthropicClearing.keepAll(body, ["results"])).toBe(bodyOf(THINKING, COMPACT));
    expect(anthropicClearing.keepAll(body, ["thoughts"])).toBe(bodyOf({ ...THINKING, keep: "all" }, RESULTS, COMPACT));
    expect(anthropicClearing.keepAll(bodyOf(RESULTS), ["results"])).toBe(bodyOf().replace('{"edits":[]}', "null"));
  });

  test("is the same where it does not ask for it", () => {
    for (const body of [
      bodyOf(COMPACT),
      bodyOf(RESULTS),
      '{"messages":[]}',
      '{"context_management":null}',
      "no JSON",
    ]) {
      expect(anthropicClearing.keepAll(body, ["thoughts"])).toBe(body);
    }
  });
});

test("a reply says how much was cleared, or nothing", () => {
  const applied = [
    { type: THINKING.type, cleared_thinking_turns: 2, cleared_input_tokens: 10 },
    { type: RESULTS.type, cleared_tool_uses: 3, cleared_input_tokens: 10 },
  ];
  expect(clearedIn({ context_management: { applied_edits: applied } })).toEqual({ results: 3, thoughts: 2 });
  expect(clearedIn({ context_management: { applied_edits: [] } })).toBeUndefined();
  expect(clearedIn({ context_management: { applied_edits: [{ type: COMPACT.type }] } })).toBeUndefined();
  expect(clearedIn({ context_management: null })).toBeUndefined();
});
