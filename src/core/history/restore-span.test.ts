import { describe, expect, test } from "vitest";
import { assistant, call, condense, deepFreeze, ids, log, result, user } from "../../../test/support/messages.ts";
import { foldBlocks } from "../message/block-folds.ts";
import { effectiveView } from "../message/effective-view.ts";
import type { Message } from "../message/message.ts";
import { validateView } from "../message/validate-view.ts";
import { listFolds } from "./list-folds.ts";
import { restoreAllMessages } from "./restore.ts";
import { restoreSpan } from "./restore-span.ts";

const viewIds = (messages: readonly Message[]) => ids(effectiveView(messages));

/** m0 … m9; m3 calls a tool whose result m4 is. */
const original = log(
  user("go"),
  assistant("yes"),
  user("read it"),
  assistant("I read", call("t1", "read")),
  user(result("t1", "content")),
  assistant("read"),
  user("and now?"),
  assistant("more"),
  user("thanks"),
  assistant("bye"),
);
const folded = deepFreeze(condense(original, "c1", ["m0", "m1", "m2", "m3", "m4", "m5", "m6", "m7"]));

test("shows the messages of the span; the rest of the fold stays hidden", () => {
  const restored = restoreSpan(folded, { from: "m6", to: "m7" });
  expect(viewIds(restored)).toEqual(["m6", "m7", expect.anything(), "m8", "m9"]);
  expect(listFolds(restored)).toMatchObject([{ foldId: "c1", messages: 6 }]);
  expect(JSON.stringify(restoreAllMessages(restored))).toBe(JSON.stringify(original));
});

test("keeps tool pairs whole, and begins the view with a user's turn", () => {
  const restored = restoreSpan(folded, { from: "m4", to: "m4" });
  expect(viewIds(restored).slice(0, 3)).toEqual(["m2", "m3", "m4"]);
  expect(validateView(effectiveView(restored))).toEqual([]);
});

test("a fold that hides nothing any more is gone", () => {
  const half = restoreSpan(folded, { from: "m0", to: "m3" });
  expect(viewIds(half)).toHaveLength(8);
  const all = restoreSpan(half, { from: "m5", to: "m7" });
  expect(JSON.stringify(all)).toBe(JSON.stringify(original));
});

test("of several folds, one inside the other, each keeps what lies outside of the span", () => {
  const twice = condense(folded, "c2", ["c1", "m8"]);
  const restored = restoreSpan(twice, { from: "m6", to: "m8" });
  expect(viewIds(restored)).toEqual(expect.arrayContaining(["m6", "m7", "m8", "m9"]));
  expect(listFolds(restored)).toMatchObject([{ foldId: "c1", messages: 6 }, { foldId: "c2" }]);
  expect(JSON.stringify(restoreAllMessages(restored))).toBe(JSON.stringify(original));
});

test("blocks that are cleared in the span are shown as well, those outside are not", () => {
  const standIn = { type: "text", text: "…" } as const;
  const cleared = foldBlocks(original, { foldId: "k1", kind: "clear" }, [
    { messageIndex: 1, blockIndex: 0, standIn, hiddenTokens: 1 },
    { messageIndex: 7, blockIndex: 0, standIn, hiddenTokens: 1 },
  ]);
  const restored = restoreSpan(cleared, { from: "m6", to: "m7" });
  expect(listFolds(restored)).toMatchObject([{ foldId: "k1", blocks: 1 }]);
});

test("where nothing is hidden, the log is the same one", () => {
  expect(restoreSpan(folded, { from: "m8", to: "m9" })).toBe(folded);
});

describe("messages without ids", () => {
  const bare = original.map(({ id: _, ...message }) => message);
  const unnamed = deepFreeze(condense(original, "c1", ["m0", "m1", "m2", "m3", "m4", "m5", "m6", "m7"])).map(
    (message) => (message.isSummary === true ? message : (({ id: _, ...rest }) => rest)(message)),
  );

  test("are named by their place in the log, as recall names them", () => {
    const restored = restoreSpan(unnamed, { from: "#6", to: "#7" });
    expect(effectiveView(restored).filter(({ isSummary }) => isSummary !== true)).toEqual(bare.slice(6));
    expect(JSON.stringify(restoreAllMessages(restored))).toBe(JSON.stringify(bare));
    expect(restoreSpan(unnamed, { from: "m6", to: "m7" })).toEqual(restored);
  });

  test.each([
    ["a stand-in", "#8"],
    ["no place of the log", "#99"],
  ])("%s is not found", (_, from) => {
    expect(() => restoreSpan(unnamed, { from, to: from })).toThrow(expect.objectContaining({ code: "not-found" }));
  });

  test("a message with an id has no other name", () => {
    expect(() => restoreSpan(folded, { from: "#6", to: "#7" })).toThrow(expect.objectContaining({ code: "not-found" }));
  });
});

test.each([
  [{ from: "m3", to: "m1" }, "invalid-argument"],
  [{ from: "", to: "m1" }, "invalid-argument"],
  [{ from: "m1", to: "none" }, "not-found"],
  [{ from: "c1", to: "m9" }, "not-found"],
])("%j is refused", (span, code) => {
  expect(() => restoreSpan(folded, span)).toThrow(expect.objectContaining({ code }));
});
