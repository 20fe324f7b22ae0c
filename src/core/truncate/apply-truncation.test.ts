import { describe, expect, test } from "vitest";
import { chat, condense, ids, log, user } from "../../../test/support/messages.ts";
import { effectiveView } from "../message/effective-view.ts";
import { applyTruncation, truncationMarker } from "./apply-truncation.ts";

const truncation = { truncationId: "t1", hidden: new Set([1, 2]), firstKept: 3, total: { messages: 2, tokens: 34 } };

describe("applyTruncation", () => {
  test("tags the hidden messages, and puts the marker right before the first kept one", () => {
    const messages = chat(5);
    const truncated = applyTruncation(messages, truncation);
    expect(ids(truncated)).toEqual(["m0", "m1", "m2", "t1", "m3", "m4"]);
    expect(ids(truncated.filter((message) => message.truncationParent === "t1"))).toEqual(["m1", "m2"]);
    expect(truncated[0]).toBe(messages[0]);
    expect(truncated[4]).toBe(messages[3]);
  });

  test("puts the marker after the last hidden message when kept ones lie among them", () => {
    const truncated = applyTruncation(chat(6), { ...truncation, hidden: new Set([1, 3]), firstKept: 4 });
    expect(ids(effectiveView(truncated))).toEqual(["m0", "m2", "t1", "m4", "m5"]);
  });

  test("puts the marker before messages that another fold hides, so that it never splits them when they return", () => {
    const condensed = condense(chat(8), "c1", ["m2", "m3", "m4"]);
    const truncated = applyTruncation(condensed, { ...truncation, hidden: new Set([1]), firstKept: 5 });
    expect(ids(truncated)).toEqual(["m0", "m1", "t1", "m2", "m3", "m4", "c1", "m5", "m6", "m7"]);
    expect(ids(effectiveView(truncated))).toEqual(["m0", "t1", "c1", "m5", "m6", "m7"]);
  });
});

describe("truncationMarker", () => {
  test("is a user message that names its fold and how much it hides, one millisecond before what follows", () => {
    const marker = truncationMarker(chat(5), { ...truncation, total: { messages: 2, tokens: 1_234 } });
    expect(marker).toMatchObject({ role: "user", ts: 3_999, isTruncationMarker: true, truncationId: "t1", id: "t1" });
    expect(marker.content).toMatch(/2 earlier messages.*1,234 tokens.*t1/);
  });

  test("has no time where the next message has none, or where there is no next message", () => {
    const timeless = log(user("a"), user("b")).map(({ ts: _ts, ...message }) => message);
    expect(truncationMarker(timeless, { ...truncation, firstKept: 1 })).not.toHaveProperty("ts");
    expect(truncationMarker(chat(3), { ...truncation, firstKept: 3 })).not.toHaveProperty("ts");
  });
});
