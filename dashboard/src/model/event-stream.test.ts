import fc from "fast-check";
import { expect, test } from "vitest";
import { PROPERTY_RUNS } from "../../../test/support/property-runs.ts";
import { createEventReader } from "./event-stream.ts";

const STREAM =
  ': hello\n\nid: 1\nevent: request\ndata: {"a":1}\n\nid: 2\ndata: one\ndata: two\n\n: comment\nretry: 5\n\ndata:no space\r\n\r\n';
const EVENTS = [
  { id: "1", data: '{"a":1}' },
  { id: "2", data: "one\ntwo" },
  { id: "2", data: "no space" },
];

test("reads the same events however the text is cut", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(STREAM.length), { maxLength: 30 }), (cuts) => {
      const places = [0, ...cuts.toSorted((one, other) => one - other), STREAM.length];
      const reader = createEventReader();
      const read = places.slice(1).flatMap((end, index) => reader.read(STREAM.slice(places[index], end)));
      expect(read).toEqual(EVENTS);
    }),
    PROPERTY_RUNS,
  );
});

test("an event is told when its empty line has come, and not before", () => {
  const reader = createEventReader();
  expect(reader.read("data: x\n")).toEqual([]);
  expect(reader.read("\n")).toEqual([{ id: undefined, data: "x" }]);
});
