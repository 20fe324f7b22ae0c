import { describe, expect, test } from "vitest";
import type { PlanStep } from "../layered-state.ts";
import { createInitialState } from "../state/initial-state.ts";
import { putChange, putDraft, putHypothesis, setPlan, setStepStatus, writeScratchpad } from "./work-buffer.ts";

const state = createInitialState("Rotate the secret");
const before = JSON.stringify(state);
const step = (id: string, ...dependsOn: string[]): PlanStep => ({ id, description: id, status: "pending", dependsOn });

describe("a plan", () => {
  test("is replaced as a whole, and its steps go on", () => {
    const planned = setPlan(state, [step("read"), step("write", "read")]);
    const done = setStepStatus(planned, "read", "done");
    expect(done.l5_workBuffer.plan.map(({ status }) => status)).toEqual(["done", "pending"]);
    expect(planned.l5_workBuffer.plan[0]?.status).toBe("pending");
    expect(setPlan(done, []).l5_workBuffer.plan).toEqual([]);
  });

  test.each([
    [[step("a"), step("a")], 'two steps have the id "a"'],
    [[step("a", "b")], 'step "a" depends on "b"'],
    [[step("a", "c"), step("b", "a"), step("c", "b"), step("d")], 'its steps "a", "b", "c" wait for each other'],
    [[step("a", "a")], 'its steps "a" wait for each other'],
  ])("that cannot be carried out is refused: %#", (plan, message) => {
    expect(() => setPlan(state, plan)).toThrow(message);
    expect(() => setPlan(state, plan)).toThrow(expect.objectContaining({ code: "invalid-argument" }));
  });

  test("keeps how long a step took, also when the step is taken up again", () => {
    const planned = setPlan(state, [step("read")]);
    const done = setStepStatus(planned, "read", { status: "done", durationMs: 90 });
    expect(done.l5_workBuffer.plan).toEqual([{ ...step("read"), status: "done", durationMs: 90 }]);
    expect(setStepStatus(done, "read", "pending").l5_workBuffer.plan[0]?.durationMs).toBe(90);
    expect(() => setStepStatus(planned, "read", { status: "done", durationMs: -1 })).toThrow("step.durationMs is -1");
  });

  test("has only the steps that it has", () => {
    expect(() => setStepStatus(state, "read", "done")).toThrow(expect.objectContaining({ code: "not-found" }));
    // @ts-expect-error callers without types
    expect(() => setStepStatus(setPlan(state, [step("a")]), "a", "ready")).toThrow('step.status is "ready"');
  });
});

describe("a draft", () => {
  const draft = (content: string, title = "notes") => ({ id: "d", title, content });

  test("is numbered anew when its content changes, and keeps what it said", () => {
    const third = ["a", "b", "c"].reduce((working, content) => putDraft(working, draft(content)), state);
    expect(third.l5_workBuffer.drafts).toEqual([
      {
        ...draft("c"),
        version: 3,
        earlier: [
          { version: 1, content: "a" },
          { version: 2, content: "b" },
        ],
      },
    ]);
    const renamed = putDraft(third, draft("c", "reply")).l5_workBuffer.drafts[0];
    expect(renamed).toMatchObject({ title: "reply", version: 3, earlier: [{ version: 1 }, { version: 2 }] });
  });

  test("keeps the five newest of its earlier contents", () => {
    const last = Array.from("abcdefgh").reduce((working, content) => putDraft(working, draft(content)), state);
    expect(last.l5_workBuffer.drafts[0]?.version).toBe(8);
    expect(last.l5_workBuffer.drafts[0]?.earlier?.map(({ version }) => version)).toEqual([3, 4, 5, 6, 7]);
  });
});

test("changes are kept by path, hypotheses and drafts by id, the scratchpad as it is", () => {
  const change = { path: "a.ts", type: "modify", description: "rotate", status: "planned" } as const;
  let working = putChange(putChange(state, change), { ...change, status: "applied" });
  const hypothesis = { id: "h", statement: "the clock is off", status: "untested", evidence: [] } as const;
  working = putHypothesis(putHypothesis(working, hypothesis), { ...hypothesis, status: "refuted", evidence: ["ntp"] });
  working = putDraft(working, { id: "d", title: "notes", content: "…" });
  working = writeScratchpad(working, "look at line 3");
  expect(working.l5_workBuffer).toEqual({
    plan: [],
    changes: [{ ...change, status: "applied" }],
    hypotheses: [{ ...hypothesis, status: "refuted", evidence: ["ntp"] }],
    drafts: [{ id: "d", title: "notes", content: "…" }],
    scratchpad: "look at line 3",
  });
  // @ts-expect-error callers without types
  expect(() => writeScratchpad(state, 3)).toThrow("scratchpad is 3");
  expect(JSON.stringify(state)).toBe(before);
});
