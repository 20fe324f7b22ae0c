import { describe, expect, test } from "vitest";
import { failed, followStream, OPENING, SPEAKING, type StreamReading, type UnreadReply } from "./follow-stream.ts";

/** Events say what they mean; what has no end yet is told as the length of its text. */
const reading: StreamReading = {
  readEvent: ({ data }) => (data === "begin" ? OPENING : data === "fail" ? failed({ message: "no" }) : SPEAKING),
  readUsage: (unread) => {
    const text = unread.type === "document" ? unread.text : (unread.event?.data ?? "");
    return text === "" ? undefined : { inputTokens: text.length };
  },
};

function follow(...pieces: readonly string[]) {
  const follower = followStream(reading);
  for (const piece of pieces) follower.push(piece);
  return follower;
}

describe("a reply in events", () => {
  test("is opening until something is said", () => {
    expect(follow().stage()).toBe("opening");
    expect(follow(" \n").stage()).toBe("opening");
    expect(follow(": wait\n\n", "data: begin\n\n").stage()).toBe("opening");
    expect(follow("data: begin\n\ndata: word\n\n").stage()).toBe("speaking");
  });

  test("stays speaking when it begins again, but tells a failure whenever it comes", () => {
    expect(follow("data: word\n\ndata: begin\n\n").stage()).toBe("speaking");
    const late = follow("data: word\n\ndata: fail\n\ndata: word\n\n");
    expect([late.stage(), late.failure()?.message]).toEqual(["failed", "no"]);
    expect(follow("data: begin\n\ndata: fail\n\n").stage()).toBe("failed");
  });

  test("gives what has no end yet to whoever asks what was used", () => {
    expect(follow("data: word\n\ndata: se", "ve").usage()).toEqual({ inputTokens: 4 });
    expect(follow("data: word\n\n").usage()).toBeUndefined();
  });
});

describe("a reply in one piece", () => {
  test.each(['{"a":1}', "<html>", "[1]", "upstream is away"])("speaks from its first character on: %s", (text) => {
    const follower = follow("\n", text);
    expect([follower.stage(), follower.failure()]).toEqual(["speaking", undefined]);
    expect(follower.usage()).toEqual({ inputTokens: text.length });
  });

  test("is read once for all who ask, until more of it comes", () => {
    const read: string[] = [];
    const note = (unread: UnreadReply) => read.push(unread.type === "document" ? unread.text : "");
    const follower = followStream({
      readEvent: () => SPEAKING,
      readUsage: (unread) => ({ inputTokens: note(unread) }),
      readNotes: (unread) => ({ id: `msg_${note(unread)}`, compactions: [] }),
    });
    const answers = () => [follower.usage()?.inputTokens, follower.notes?.().id];
    follower.push("{");
    expect([answers(), answers()]).toEqual([
      [1, "msg_2"],
      [1, "msg_2"],
    ]);
    follower.push("}");
    expect([answers(), read]).toEqual([
      [3, "msg_4"],
      ["{", "{", "{}", "{}"],
    ]);
  });
});

describe("a failure", () => {
  test.each<[string, unknown, object]>([
    ["with a code", { code: "too_long", message: "m", type: "t" }, { message: "m", code: "too_long" }],
    ["with a type alone", { type: "overloaded_error", message: "m" }, { message: "m", code: "overloaded_error" }],
    [
      "with a number",
      { code: 429, status: "EXHAUSTED", message: "m" },
      { message: "m", code: "EXHAUSTED", status: 429 },
    ],
    ["that is a text", "no", { message: "no" }],
    ["without words", { a: 1 }, { message: '{"a":1}' }],
  ])("%s is told with all that the server said", (_, error, told) => {
    expect(failed(error)).toEqual({ type: "failed", failure: { ...told, body: error } });
  });
});
