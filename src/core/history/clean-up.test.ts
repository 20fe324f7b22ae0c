import { describe, expect, test } from "vitest";
import { chat, condense, deepFreeze, tag, truncate, user } from "../../../test/support/messages.ts";
import { cleanupAfterTruncation } from "./clean-up.ts";

const folded = truncate(condense(chat(8), "c1", ["m1", "m2"]), "t1", ["m3", "m4"]);

describe("cleanupAfterTruncation", () => {
  test("leaves every message the same object while its summary or marker exists", () => {
    const cleaned = cleanupAfterTruncation(folded);
    expect(cleaned.every((message, index) => message === folded[index])).toBe(true);
    expect(cleaned).toHaveLength(folded.length);
  });

  test("refuses what are no messages", () => {
    const notMessages: never[] = JSON.parse('[{"role":"user"}]');
    expect(() => cleanupAfterTruncation(notMessages)).toThrow(expect.objectContaining({ code: "invalid-message" }));
  });

  test("clears tags that point to nothing, and leaves no trace of them", () => {
    const originals = chat(8);
    const orphans = folded.filter((message) => message.isSummary !== true && message.isTruncationMarker !== true);
    expect(JSON.stringify(cleanupAfterTruncation(orphans))).toBe(JSON.stringify(originals));
  });

  test("clears the one tag that points to nothing and keeps the one that does not", () => {
    const markerOnly = condense(truncate(chat(6), "t1", ["m1"]), "c1", ["m1"]).filter((each) => each.id !== "c1");
    const cleaned = cleanupAfterTruncation(markerOnly);
    expect(cleaned[1]).toEqual({ ...chat(6)[1], truncationParent: "t1" });
    expect(cleaned[1]).not.toHaveProperty("condenseParent");
  });

  test("takes a marker's id for no summary, and the reverse", () => {
    const crossed = deepFreeze([
      tag(user("a"), { condenseParent: "t1" }),
      tag(user("b"), { truncationParent: "c1" }),
      ...folded,
    ]);
    expect(cleanupAfterTruncation(crossed).slice(0, 2)).toEqual([user("a"), user("b")]);
  });

  test("keeps block folds and unknown fields", () => {
    const standIn = { type: "text", text: "stub" };
    const message = tag(user("long"), {
      folds: [{ foldId: "f1", kind: "clip", blockIndex: 0, standIn, hiddenTokens: 3 } as const],
      vendor: "kept",
    });
    expect(cleanupAfterTruncation([tag(message, { condenseParent: "gone" })])).toEqual([message]);
  });
});
