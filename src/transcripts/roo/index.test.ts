import { describe, expect, test } from "vitest";
import { detects, faultsOfBroken, readAs } from "../../../test/support/format-checks.ts";
import { deepFreeze } from "../../../test/support/messages.ts";
import { effectiveView } from "../../core/message/effective-view.ts";
import { rooFormat, rooUiFormat, writeRoo } from "./index.ts";

const HISTORY = deepFreeze([
  { role: "user", content: [{ type: "text", text: "<task>Fix it</task>" }], ts: 1 },
  { role: "assistant", content: "Reading.", ts: 2, condenseParent: "k1" },
  { role: "user", content: "Go on", ts: 3, condenseParent: "k1", truncationParent: "gone" },
  {
    role: "assistant",
    ts: 4,
    isSummary: true,
    condenseId: "k1",
    reasoning_content: "kept for the provider",
    content: [
      { type: "reasoning", text: "Condensing." },
      { type: "text", text: "We fixed half of it." },
    ],
  },
  {
    role: "assistant",
    ts: 5,
    content: [
      { type: "thinking", thinking: "hm", signature: "sig" },
      { type: "reasoning", encrypted_content: "x", summary: [] },
      { type: "tool_use", id: "c1", name: "read_file", input: { path: "a" } },
      { type: "thoughtSignature", thoughtSignature: "opaque" },
    ],
  },
  { role: "user", ts: 6, content: [{ type: "tool_result", tool_use_id: "c1", content: "A", is_error: true }] },
]);

describe("Roo's history for the model", () => {
  test("its tags are ours: what Roo had hidden is hidden", () => {
    const { messages, compactions, problems } = readAs(rooFormat, HISTORY);
    expect(effectiveView(messages).map(({ ts }) => ts)).toEqual([1, 4, 5, 6]);
    expect(compactions).toEqual([{ messageIndex: 3, summary: "We fixed half of it." }]);
    expect(messages[2]).toEqual(HISTORY[2]);
    expect(messages[3]).toEqual(HISTORY[3]);
    expect(problems).toEqual([]);
  });

  test("thinking is reasoning with its signature; encrypted reasoning and unknown blocks stay", () => {
    expect(readAs(rooFormat, HISTORY).messages[4]?.content).toEqual([
      { type: "reasoning", text: "hm", signature: "sig" },
      { type: "reasoning", text: "", encrypted_content: "x", summary: [] },
      { type: "tool_use", id: "c1", name: "read_file", input: { path: "a" } },
      { type: "thoughtSignature", thoughtSignature: "opaque" },
    ]);
  });

  test("what is written is read as the same messages, with thinking as Roo has it", () => {
    const transcript = readAs(rooFormat, HISTORY);
    const written = deepFreeze(writeRoo(transcript));
    expect(readAs(rooFormat, written)).toEqual(transcript);
    expect(written[4]?.content[0]).toEqual({ type: "thinking", thinking: "hm", signature: "sig" });
    expect(written.slice(0, 4)).toEqual(HISTORY.slice(0, 4));
  });

  test("a tag of a wrong type is dropped, with a problem", () => {
    const { messages, problems } = readAs(rooFormat, [
      { role: "user", content: "a", ts: 1, condenseParent: 5, isSummary: "yes" },
    ]);
    expect(messages).toEqual([{ role: "user", content: "a", ts: 1 }]);
    expect(problems.map(({ where }) => where)).toEqual(["[0].condenseParent", "[0].isSummary"]);
  });

  test("is known by times or tags on messages of users and assistants", () => {
    expect(detects(rooFormat, HISTORY)).toBe(true);
    expect(detects(rooFormat, [{ role: "user", content: "a" }])).toBe(false);
    expect(detects(rooFormat, [{ role: "system", content: "a", ts: 1 }])).toBe(false);
  });

  test("whatever is broken in it, what is read is well-formed", () => {
    expect(faultsOfBroken(rooFormat, HISTORY)).toEqual([]);
  });
});

const request = { request: "…", tokensIn: 50, tokensOut: 9, cacheReads: 40, cacheWrites: 3, cost: 0.1 };
const condense = { cost: 0.1, prevContextTokens: 900, newContextTokens: 90, summary: "So far", condenseId: "k1" };

const UI = deepFreeze([
  { ts: 1, type: "say", say: "text", text: "Fix it", images: ["data:image/png;base64,AAAA"] },
  { ts: 2, type: "say", say: "api_req_started", text: JSON.stringify(request) },
  { ts: 3, type: "say", say: "reasoning", text: "hm" },
  { ts: 4, type: "say", say: "text", text: "Readi", partial: true },
  { ts: 5, type: "ask", ask: "tool", text: '{"tool":"readFile","path":"a"}' },
  { ts: 6, type: "say", say: "checkpoint_saved", text: "abc" },
  { ts: 7, type: "say", say: "condense_context", contextCondense: condense },
  { ts: 8, type: "say", say: "user_feedback", text: "Not that one" },
]);

describe("Roo's history for the person", () => {
  test("gives who said what, usage and compactions", () => {
    const { messages, usages, compactions } = readAs(rooUiFormat, UI);
    expect(messages.map(({ role, ts }) => [role, ts])).toEqual([
      ["user", 1],
      ["assistant", 3],
      ["assistant", 5],
      ["user", 8],
    ]);
    expect(messages[0]?.content).toHaveLength(2);
    expect(usages).toEqual([
      { messageIndex: 1, inputTokens: 50, outputTokens: 9, cacheReadTokens: 40, cacheWriteTokens: 3 },
    ]);
    expect(compactions).toEqual([{ messageIndex: 3, summary: "So far", tokensBefore: 900 }]);
  });

  test("is told from the history for the model, also when parts of it are broken", () => {
    expect([detects(rooUiFormat, UI), detects(rooUiFormat, HISTORY), detects(rooFormat, UI)]).toEqual([
      true,
      false,
      false,
    ]);
    expect(faultsOfBroken(rooUiFormat, UI)).toEqual([]);
  });
});
