import { describe, expect, test } from "vitest";
import { assistant, call, user } from "../../../test/support/messages.ts";
import { untyped } from "../../../test/support/sessions.ts";
import { adoptMessage, ownMessages } from "./own-messages.ts";

describe("messages of our own", () => {
  test("are equal to what was given, in every byte", () => {
    const given = [
      { ...user("hello"), id: "a", ts: 1, output_config: { deep: [1, { two: null }], absent: undefined } },
      assistant(call("t", "read", { path: "a.ts", list: [[], {}] })),
    ];
    expect(ownMessages(given)).toEqual(given);
    expect(JSON.stringify(ownMessages(given))).toBe(JSON.stringify(given));
  });

  test("do not change when the giver changes what was given", () => {
    const input = { path: "a.ts" };
    const given = [user("goal"), assistant(call("t", "read", input))];
    const own = ownMessages(given);
    input.path = "b.ts";
    given.pop();
    expect(own).toEqual([user("goal"), assistant(call("t", "read", { path: "a.ts" }))]);
  });

  test("cannot be changed by whoever is shown them, at any depth", () => {
    const own = untyped(ownMessages([assistant(call("t", "read", { path: "a.ts" }))]));
    expect(() => own.pop()).toThrow(TypeError);
    expect(() => {
      own[0].content = "gone";
    }).toThrow(TypeError);
    expect(() => {
      own[0].content[0].input.path = "b.ts";
    }).toThrow(TypeError);
  });

  test("leave the giver's own objects free to be changed", () => {
    const given = [user("hello")];
    ownMessages(given);
    expect(Object.isFrozen(given)).toBe(false);
    expect(Object.isFrozen(given[0])).toBe(false);
  });

  test("stay the same objects when they are taken again, also in a copy with a tag", () => {
    const [first] = ownMessages([assistant(call("t"))]);
    const [again] = ownMessages([first]);
    const [tagged] = ownMessages([{ ...untyped(first), condenseParent: "c" }]);
    expect(again).toBe(first);
    expect(tagged).not.toBe(first);
    expect(tagged?.content).toBe(first?.content);
  });

  test("may hold circles, objects of classes, and nesting deeper than the stack", () => {
    const circle: Record<string, unknown> = { when: new Date(0), bytes: new Uint8Array([1, 2]) };
    circle.self = circle;
    let deep: unknown = [];
    for (let level = 0; level < 200_000; level++) deep = [deep];
    const [own] = untyped(ownMessages([assistant(call("t", "read", { circle, deep }))]));
    const { input } = own.content[0];
    expect(input.circle.self).toBe(input.circle);
    expect(input.circle.when).toBe(circle.when);
    expect(input.circle.bytes).toBe(circle.bytes);
  });

  test("keep a key named __proto__ as the data that it is", () => {
    const given = JSON.parse('[{"role":"user","content":"x","__proto__":{"polluted":true}}]');
    const own = ownMessages(given);
    expect(JSON.stringify(own)).toBe(JSON.stringify(given));
    expect(untyped(own[0]).polluted).toBeUndefined();
  });

  test("are refused where they are no messages", () => {
    expect(() => ownMessages("nonsense")).toThrow("messages is");
    expect(() => ownMessages([{ role: "robot", content: "x" }])).toThrow("messages[0].role");
  });
});

describe("a message that nobody else holds", () => {
  test("stays the same object, and cannot be changed any more, at any depth", () => {
    const message = assistant(call("t", "read", { path: ["a.ts"], none: null }));
    const own = untyped(adoptMessage(message));
    expect(own).toBe(message);
    expect(() => own.content[0].input.path.push("b.ts")).toThrow(TypeError);
    expect(ownMessages([message])[0]).toBe(message);
  });

  test("may hold itself", () => {
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    expect(Object.isFrozen(adoptMessage(assistant(call("t", "read", circle))))).toBe(true);
    expect(Object.isFrozen(circle)).toBe(true);
  });
});
