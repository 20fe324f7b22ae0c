import { describe, expect, test } from "vitest";
import { effectiveView } from "../../core/message/effective-view.ts";
import type { Message } from "../../core/message/message.ts";
import { withoutStandIns } from "./log-facts.ts";
import { wireView } from "./wire-view.ts";

const said = (name: string, more: Partial<Message> = {}): Message => ({
  role: "user",
  content: name,
  id: name,
  ...more,
});
const SUMMARY: Message = { role: "assistant", content: "so far", isSummary: true, condenseId: "c1" };
const folds = [
  { foldId: "f", kind: "clip", blockIndex: 0, standIn: { type: "text", text: "…" }, hiddenTokens: 9 },
] as const;

const snapshotOf = (log: readonly Message[]) => ({ log, view: effectiveView(log) });

describe("what to send for a log", () => {
  const log = [
    said("a"),
    said("b", { condenseParent: "c1" }),
    said("c", { condenseParent: "c1" }),
    SUMMARY,
    said("d", { folds }),
  ];

  test("stand-ins for what they hide, folded messages, and the rest by its place in the request", () => {
    expect(wireView(snapshotOf(log), 4)).toEqual([
      { type: "original", index: 0 },
      { type: "stand-in", message: SUMMARY },
      { type: "folded", index: 3, folds },
    ]);
    expect(withoutStandIns(log).map(({ id }) => id)).toEqual(["a", "b", "c", "d"]);
  });

  test("what the request has beyond the log goes as it came", () => {
    expect(wireView(snapshotOf(log), 6)?.slice(-2)).toEqual([
      { type: "original", index: 4 },
      { type: "original", index: 5 },
    ]);
  });

  test("a request that ends inside of what a summary hides cannot be shown by it", () => {
    expect(wireView(snapshotOf(log), 2)).toBeUndefined();
    expect(wireView(snapshotOf([...log, said("e")]), 4)).toHaveLength(3);
  });

  test("a view that was made before the log was folded is not shown", () => {
    const before = [said("a"), said("b")];
    const after = [said("a", { folds }), before[1] ?? said("b")];
    expect(wireView({ log: after, view: effectiveView(before) }, 2)).toBeUndefined();
    expect(wireView(snapshotOf(after), 2)).toHaveLength(2);
  });

  test("a request that ends right before it is shown as it is", () => {
    expect(wireView(snapshotOf(log), 1)).toEqual([{ type: "original", index: 0 }]);
  });
});
