/** The converters, against what they were not made for: they refuse and name the fault, or answer with what the wire takes. */
import { describe, expect, test } from "vitest";
import * as api from "../../src/messages/index.ts";
import { each, eachField, type Fault, MESSAGES_FAULTS, unmetFaults } from "../support/faults.ts";

const functions = new Map<string, unknown>(Object.entries(api));
const tested = new Set<string>();

/** Calls a public function with what its types forbid. */
function invoke(name: string, given: readonly unknown[]): unknown {
  const target = functions.get(name);
  if (typeof target !== "function") throw new Error(`There is no public function ${name}.`);
  tested.add(name);
  return Reflect.apply(target, undefined, given);
}

/** The converters of one direction, whichever wires there are. */
const named = (start: "to" | "from") => [...functions.keys()].filter((name) => name.startsWith(start));
const noOptions = each([null, 5], /options is/);

describe.each(named("to"))("%s refuses", (name) => {
  test("what is no log, with the place of the fault", () => {
    expect(unmetFaults((input) => invoke(name, [input]), MESSAGES_FAULTS).join("\n")).toBe("");
  });

  test("options and a system prompt that are none", () => {
    const faults = [...noOptions, ...eachField({ system: [null, 5, {}] })];
    expect(unmetFaults((input) => invoke(name, [[], input]), faults).join("\n")).toBe("");
  });
});

describe.each(named("from"))("%s refuses", (name) => {
  const faults: readonly Fault[] = [
    ...each([null, undefined, 5, "hello", {}], / is /),
    ...each([[null], [5], ["hello"], [{ role: "robot" }]], /\[0\]/),
  ];
  test("what is no list of messages, with the place of the fault", () => {
    expect(unmetFaults((input) => invoke(name, [input]), faults).join("\n")).toBe("");
  });
});

test("fromGemini refuses ids that nobody makes", () => {
  const faults = [...noOptions, ...eachField({ createId: [null, 5, "id"] })];
  expect(unmetFaults((input) => invoke("fromGemini", [[], input]), faults).join("\n")).toBe("");
});

test("blocks that are none of ours are no reason to break", () => {
  const faults: readonly Fault[] = each(
    [
      [{ role: "user", content: [{ type: "toString" }, { type: "__proto__" }, { type: "", source: null }] }],
      [{ role: "user", content: [{ type: "image", source: {} }] }],
      [{ role: "assistant", content: [{ type: "tool_use", id: "", name: "", input: 5n }] }],
      [{ role: "user", content: "\ud800 \u0000" }],
    ],
    "answers",
  );
  for (const name of named("to")) expect(unmetFaults((input) => invoke(name, [input]), faults).join("\n")).toBe("");
});

test("no public function was left out", () => {
  expect([...tested].toSorted()).toEqual([...functions.keys()].toSorted());
});
