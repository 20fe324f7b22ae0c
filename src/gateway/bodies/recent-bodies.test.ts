import { expect, test } from "vitest";
import { fieldAt } from "../../core/json/read-json.ts";
import type { JsonBody } from "./json-body.ts";
import { createRecentBodies } from "./recent-bodies.ts";

const KIND = { kind: "anthropic one", listPaths: [["messages"]] };

/** A conversation of some twenty kilobytes and more. */
function talk(name: string, count: number): Buffer {
  const items = Array.from({ length: count }, (_, index) => ({
    role: "user",
    content: `${name} ${index} `.repeat(200),
  }));
  return Buffer.from(JSON.stringify({ messages: items }));
}

function firstOf({ value }: JsonBody): unknown {
  return fieldAt(value, "messages", 0);
}

test("conversations that take turns are each read from where they were", () => {
  const bodies = createRecentBodies();
  const [one, other] = [bodies.read(talk("one", 20), KIND), bodies.read(talk("other", 20), KIND)];
  expect(firstOf(bodies.read(talk("one", 21), KIND))).toBe(firstOf(one));
  expect(firstOf(bodies.read(talk("other", 22), KIND))).toBe(firstOf(other));
  expect(firstOf(bodies.read(talk("one", 23), KIND))).toBe(firstOf(one));
});

test("a shorter conversation that begins the same is read with the help of the longer one, which stays", () => {
  const bodies = createRecentBodies();
  const long = bodies.read(talk("one", 40), KIND);
  expect(firstOf(bodies.read(talk("one", 20), KIND))).toBe(firstOf(long));
  expect(firstOf(bodies.read(talk("one", 41), KIND))).toBe(firstOf(long));
});

test("conversations of one agent, whose tools are most of their bodies, do not take each other's place", () => {
  const bodies = createRecentBodies();
  const withTools = (name: string, count: number) => {
    const items = Array.from({ length: count }, (_, index) => ({
      role: "user",
      content: `${name} ${index} `.repeat(50),
    }));
    return Buffer.from(JSON.stringify({ tools: "a tool ".repeat(20_000), messages: items }));
  };
  const [one, other] = [bodies.read(withTools("one", 20), KIND), bodies.read(withTools("other", 20), KIND)];
  expect(firstOf(bodies.read(withTools("one", 21), KIND))).toBe(firstOf(one));
  expect(firstOf(bodies.read(withTools("other", 21), KIND))).toBe(firstOf(other));
});

test("what was deleted is not remembered", () => {
  const bodies = createRecentBodies();
  const first = bodies.read(talk("one", 20), KIND);
  bodies.forgetAll();
  expect(firstOf(bodies.read(talk("one", 21), KIND))).not.toBe(firstOf(first));
});

test("another kind has nothing in common with it", () => {
  const bodies = createRecentBodies();
  const first = bodies.read(talk("one", 20), KIND);
  const second = bodies.read(talk("one", 21), { ...KIND, kind: "anthropic two" });
  expect(firstOf(second)).not.toBe(firstOf(first));
  expect(firstOf(second)).toEqual(firstOf(first));
});

test("the oldest are forgotten: by their number, and by their size", () => {
  const few = createRecentBodies({ maxCount: 2 });
  const forgotten = few.read(talk("one", 20), KIND);
  for (const name of ["two", "three"]) few.read(talk(name, 20), KIND);
  expect(firstOf(few.read(talk("one", 21), KIND))).not.toBe(firstOf(forgotten));

  const small = createRecentBodies({ maxBytes: talk("one", 50).length });
  const large = small.read(talk("one", 30), KIND);
  small.read(talk("two", 30), KIND);
  expect(firstOf(small.read(talk("one", 31), KIND))).not.toBe(firstOf(large));
});
