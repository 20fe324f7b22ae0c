import { describe, expect, test } from "vitest";
import { createInitialState } from "./initial-state.ts";

describe("a state that has not begun", () => {
  test("knows what it is given as memory", () => {
    const nothing = { projectKnowledge: [], templates: [], checklists: [] };
    const skill = { id: "s1", name: "release", content: "Tag it." };
    const memory = { ...nothing, preferences: [{ key: "quotes", value: "double" }], skills: [skill] };
    const { l3_memory } = createInitialState("Release it", { memory });
    expect(l3_memory.procedural.skills).toEqual([skill]);
    expect(l3_memory.semantic.preferences).toEqual(memory.preferences);
  });

  const state = createInitialState("Rotate the secret");

  test("has the goal, and nothing else about the task", () => {
    expect(state.l1_task).toEqual({ goal: "Rotate the secret", successCriteria: [], constraints: [], metadata: {} });
  });

  test("has four hard policies: no secrets, privacy, validated input, audit log", () => {
    const { policies } = state.l0_system;
    expect(policies.map(({ id }) => id).toSorted()).toEqual(["audit-log", "no-secrets", "privacy", "validate-input"]);
    expect(new Set(policies.map(({ enforcement }) => enforcement))).toEqual(new Set(["hard"]));
  });

  test("is limited to an hour, a hundred tool calls and files of ten megabytes, without a limit of cost", () => {
    const { constraints } = state.l0_system;
    expect(constraints).toMatchObject({ maxExecutionTimeMs: 3_600_000, maxToolCalls: 100, maxFileBytes: 10_485_760 });
    expect(constraints.maxCostUsd).toBeUndefined();
  });

  test("keeps away from system paths, asks before deleting and deploying, and keeps its records for 90 days", () => {
    const { constraints, audit } = state.l0_system;
    expect(constraints.forbiddenPaths).toEqual(
      expect.arrayContaining(["/etc", "/proc", "/sys", "C:\\Windows", "~/.ssh"]),
    );
    expect(constraints.approvalRequired).toEqual(["delete", "deploy"]);
    expect(audit).toEqual({ isEnabled: true, logDecisions: true, retentionDays: 90 });
  });

  test("initializes in development, may read, write and execute, and has used nothing", () => {
    expect(state.l2_runtime).toMatchObject({
      phase: "initializing",
      environment: "dev",
      permissions: ["read", "write", "execute"],
    });
    expect(Object.values(state.l2_runtime.resources)).toEqual([0, 0, 0, 0, 0, 0, 0]);
  });

  test("remembers nothing, has seen nothing and plans nothing", () => {
    const lists = JSON.stringify([state.l3_memory, state.l4_evidence, state.l5_workBuffer]).matchAll(/:\[([^\]]*)\]/g);
    expect(Array.from(lists, ([, entries]) => entries)).toEqual(Array.from({ length: 18 }, () => ""));
    expect(state.l5_workBuffer.scratchpad).toBe("");
  });
});

test("takes a whole task, and other settings of the system", () => {
  const state = createInitialState(
    {
      goal: "Ship it",
      successCriteria: ["it runs"],
      outputFormat: "a diff",
      constraints: ["no new package"],
      metadata: { ticket: "7" },
    },
    {
      role: "A reviewer",
      policies: [],
      constraints: { maxToolCalls: 5 },
      audit: { retentionDays: 7 },
      permissions: ["read"],
      environment: "prod",
    },
  );
  expect(state.l1_task).toEqual({
    goal: "Ship it",
    successCriteria: ["it runs"],
    outputFormat: "a diff",
    constraints: ["no new package"],
    metadata: { ticket: "7" },
  });
  expect(state.l0_system).toMatchObject({
    role: "A reviewer",
    policies: [],
    constraints: { maxToolCalls: 5, maxExecutionTimeMs: 3_600_000 },
    audit: { isEnabled: true, retentionDays: 7 },
  });
  expect(state.l2_runtime).toMatchObject({ permissions: ["read"], environment: "prod" });
});

test.each([[""], ["  \n"], [undefined], [{}], [{ goal: 3 }]])("refuses the task %j, which says nothing", (task) => {
  // @ts-expect-error callers without types
  expect(() => createInitialState(task)).toThrow(expect.objectContaining({ code: "invalid-argument" }));
});

test("refuses settings that make no state, and says which", () => {
  expect(() => createInitialState("Ship", { constraints: { maxToolCalls: -1 } })).toThrow(
    "state.l0_system.constraints.maxToolCalls is -1; it must be a number of at least 0.",
  );
});
