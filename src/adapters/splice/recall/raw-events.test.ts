import fc from "fast-check";
import { expect, test } from "vitest";
import { PROPERTY_RUNS } from "../../../../test/support/property-runs.ts";
import { createEventCutter, type RawEvent } from "./raw-events.ts";

function cut(pieces: readonly string[]): { readonly events: readonly RawEvent[]; readonly rest: string } {
  const cutter = createEventCutter();
  return { events: pieces.flatMap((piece) => cutter.push(piece)), rest: cutter.rest() };
}

test("an event has its name and its data, of one line or more, and the text that it came in", () => {
  const { events, rest } = cut(['event: ping\ndata: {"a":\ndata:1}\n\n: comment\n\ndata: x', "y\n\nevent: half"]);
  expect(events.map(({ name, data }) => [name, data])).toEqual([
    ["ping", '{"a":\n1}'],
    ["", ""],
    ["", "xy"],
  ]);
  expect(rest).toBe("event: half");
});

test("events end in whatever way lines end, also where a piece ends in the middle of it", () => {
  const { events } = cut(["data: 1\r", "\n\r", "\ndata: 2\r\rdata: 3\n\r\n"]);
  expect(events.map(({ data }) => data)).toEqual(["1", "2", "3"]);
});

test("in pieces of any size the same events are found, and nothing is lost", () => {
  const text = fc.array(fc.constantFrom("data: ", "event: a", "x", "\n", "\n\n", "\r\n\r\n", "é"), { maxLength: 40 });
  fc.assert(
    fc.property(text, fc.array(fc.nat({ max: 12 }), { maxLength: 30 }), (parts, sizes) => {
      const whole = parts.join("");
      const pieces: string[] = [];
      let at = 0;
      for (const size of sizes) {
        pieces.push(whole.slice(at, at + size));
        at += size;
      }
      pieces.push(whole.slice(at));
      const { events, rest } = cut(pieces);
      expect(events.map(({ raw }) => raw).join("") + rest).toBe(whole);
      const hasReturn = whole.includes("\r");
      if (!hasReturn) expect(events.map(({ raw }) => raw)).toEqual(cut([whole]).events.map(({ raw }) => raw));
    }),
    PROPERTY_RUNS,
  );
});
