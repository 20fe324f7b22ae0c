import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyState } from "../../../../test/support/layered-states.ts";
import { propertyRuns } from "../../../../test/support/property-runs.ts";
import type { LayeredState } from "../layered-state.ts";
import { checkState } from "./check-state.ts";
import { createInitialState } from "./initial-state.ts";
import { readState, serializeState } from "./serialize-state.ts";

const state = createInitialState("Rotate the secret");

/** The state with another value at a path. */
function changed(path: string, value: unknown): unknown {
  const copy: unknown = structuredClone(state);
  const names = path.split(".");
  const last = names.pop() ?? "";
  const owner = names.reduce((found: unknown, name) => Reflect.get(Object(found), name), copy);
  Reflect.set(Object(owner), last, value);
  return copy;
}

describe("a state that is not one", () => {
  test.each([
    ["schemaVersion", 0, "state.schemaVersion is 0; it must be 1."],
    ["l0_system", [], "state.l0_system is an array; it must be an object."],
    ["l0_system.role", null, "state.l0_system.role is null; it must be a string or an object."],
    ["l0_system.role", { name: "A", description: "", capabilities: "all" }, 'role.capabilities is "all"'],
    ["l0_system.policies", [{}], "state.l0_system.policies[0].id is undefined"],
    [
      "l0_system.constraints.approvalRequired",
      ["fly"],
      'approvalRequired[0] is "fly"; it must be one of "read", "write"',
    ],
    [
      "l0_system.constraints.allowedDomains",
      ["a.org", "https://a.org"],
      'allowedDomains[1] is "https://a.org"; it must be a',
    ],
    ["l0_system.constraints.allowedDomains", ["*.a.org"], "without scheme, port, path or wildcard"],
    ["l0_system.audit.isEnabled", 1, "isEnabled is 1; it must be true or false."],
    ["l1_task.goal", 7, "state.l1_task.goal is 7"],
    ["l1_task.outputFormat", 5, "outputFormat is 5; it must be a string or an object."],
    ["l1_task.outputFormat", {}, 'outputFormat.type is undefined; it must be one of "text", "markdown", "json".'],
    ["l1_task.outputFormat", { type: "json", schema: [] }, "outputFormat.schema is an array; it must be an object."],
    ["l1_task.successCriteria", [{ description: "a" }], "successCriteria[0].measurable is undefined"],
    [
      "l1_task.successCriteria",
      [{ description: "a", measurable: true, validator: "tests" }],
      'successCriteria[0].validator is "tests"; it must be an object.',
    ],
    ["l1_task.constraints", "none", 'constraints is "none"; it must be an object.'],
    ["l1_task.constraints", [5], "constraints[0] is 5; it must be a string."],
    ["l1_task.constraints", { timeMs: "1 h" }, 'constraints.timeMs is "1 h"; it must be a number of at least 0.'],
    ["l1_task.metadata", { "a b": 1 }, 'metadata["a b"] is 1; it must be a string.'],
    ["l1_task.metadata", { tags: ["a", 5] }, 'metadata["tags"][1] is 5; it must be a string.'],
    ["l1_task.metadata", { createdAt: Number.NaN }, 'metadata["createdAt"] is NaN'],
    ["l2_runtime.phase", "toString", 'phase is "toString"; it must be one of "initializing"'],
    ["l2_runtime.resources.costUsd", Number.NaN, "costUsd is NaN; it must be a number of at least 0."],
    ["l3_memory.episodic", [{ type: "dream", id: "a", at: 0, content: "" }], 'episodic[0].type is "dream"'],
    ["l3_memory.episodic", [{ type: "milestone", id: "a", at: 0, content: "" }], "episodic[0].importance is undefined"],
    ["l3_memory.episodic", [null], "episodic[0] is null; it must be an object."],
    [
      "l3_memory.semantic.facts",
      [{ id: "a", at: 0, content: "", source: "", confidence: 1.5 }],
      "a number from 0 to 1",
    ],
    ["l3_memory.procedural.skills", "none", 'skills is "none"; it must be an array.'],
    ["l4_evidence.observations", [{ id: "a", at: Number.POSITIVE_INFINITY }], "observations[0].at is Infinity"],
    ["l5_workBuffer.plan", [{ id: "a", description: "", status: "pending" }], "plan[0].dependsOn is undefined"],
  ])("with another %s is refused by the name of the field", (path, value, message) => {
    expect(() => checkState(changed(path, value))).toThrow(message);
    expect(() => checkState(changed(path, value))).toThrow(expect.objectContaining({ code: "invalid-argument" }));
  });

  test.each([undefined, null, 3, "state", [], () => 1])("%s is none", (value) => {
    expect(() => checkState(value)).toThrow(expect.objectContaining({ code: "invalid-argument" }));
  });

  test("fields that are not known are fine", () => {
    expect(() => checkState({ ...state, note: { any: 1 } })).not.toThrow();
  });
});

describe("a state as JSON", () => {
  test("comes back equal, whatever it holds", () => {
    fc.assert(
      fc.property(anyState, (any: LayeredState) => {
        checkState(any);
        expect(readState(serializeState(any))).toEqual(JSON.parse(JSON.stringify(any)));
      }),
      propertyRuns(100),
    );
    expect(readState(serializeState(state))).toEqual(state);
  });

  test("of a newer version is refused, saying what to do", () => {
    const newer = JSON.stringify({ schemaVersion: 2 });
    expect(() => readState(newer)).toThrow("schemaVersion 2, and this version of the package reads up to 1. Update");
    expect(() => readState(newer)).toThrow(expect.objectContaining({ code: "store-too-new" }));
  });

  test.each(["", "{", "null", "3", "[]", "{}", serializeState(state).slice(0, -5)])("refuses %j", (json) => {
    expect(() => readState(json)).toThrow(expect.objectContaining({ code: "invalid-argument" }));
  });

  test("is not written of what is no state", () => {
    // @ts-expect-error callers without types
    expect(() => serializeState({ ...state, l1_task: {} })).toThrow("state.l1_task.goal");
  });
});
