import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import { createEventStream, type ServerEvent } from "./event-stream.ts";

function eventsIn(pieces: readonly string[]): readonly ServerEvent[] {
  const stream = createEventStream();
  return pieces.flatMap((piece) => stream.push(piece));
}

const STREAM =
  ': a comment\n\nevent: start\ndata: {"a":1}\n\nid: 7\ndata:one\ndata:  two\ndata\n\nretry: 5\n\ndata: é😀\n\ndata: cut';
const EVENTS = [
  { name: "start", data: '{"a":1}' },
  { name: "", data: "one\n two\n" },
  { name: "", data: "é😀" },
];

describe("a stream of events", () => {
  test.each(["\n", "\r\n", "\r"])("is the same with lines that end in %j, wherever it is cut", (end) => {
    const text = STREAM.replaceAll("\n", end);
    fc.assert(
      fc.property(fc.array(fc.nat(text.length), { maxLength: 30 }), (cuts) => {
        const places = [0, ...cuts.toSorted((one, other) => one - other), text.length];
        expect(eventsIn(places.map((place, index) => text.slice(place, places[index + 1])))).toEqual(EVENTS);
      }),
      propertyRuns(200),
    );
    expect(eventsIn([...text])).toEqual(EVENTS);
  });

  test("tells what was begun and not ended, and goes on from there", () => {
    const stream = createEventStream();
    expect(stream.rest()).toBeUndefined();
    stream.push("event: end\ndata: one\ndata: t");
    expect(stream.rest()).toEqual({ name: "end", data: "one\nt" });
    expect(stream.rest()).toEqual({ name: "end", data: "one\nt" });
    expect(stream.push("wo\n\n")).toEqual([{ name: "end", data: "one\ntwo" }]);
    expect(stream.rest()).toBeUndefined();
  });

  test("has no event without data, and passes its name to no other", () => {
    expect(eventsIn(["event: lost\n\ndata: x\n\n"])).toEqual([{ name: "", data: "x" }]);
  });

  test("may start with a mark of its encoding, and has fields that nobody knows", () => {
    expect(eventsIn(["\uFEFFdata: x\ndatabase: y\nother\n\n"])).toEqual([{ name: "", data: "x" }]);
  });

  test("costs no more than its length, also as one line in many pieces", () => {
    const stream = createEventStream();
    stream.push("data: ");
    for (let count = 0; count < 300_000; count++) stream.push("0123456789");
    const [event] = stream.push("\n\n");
    expect(event?.data).toHaveLength(3_000_000);
  });
});
