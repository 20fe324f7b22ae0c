import { describe, expect, test } from "vitest";
import type { LayeredState, Phase } from "../layered-state.ts";
import { createInitialState } from "../state/initial-state.ts";
import { readState, serializeState } from "../state/serialize-state.ts";
import { addCitation, addMeasurement, addObservation, addRetrieval } from "./evidence.ts";
import { mayEnterPhase, PHASE_TRANSITIONS, setPhase } from "./phases.ts";
import { addUse, recordFailure, recordStep, resolveFailure } from "./runtime.ts";
import { expire } from "./time-to-live.ts";

const state = createInitialState("Rotate the secret");
const before = JSON.stringify(state);
const inPhase = (phase: Phase): LayeredState => ({ ...state, l2_runtime: { ...state.l2_runtime, phase } });

describe("phases", () => {
  const phases: readonly Phase[] = [
    "initializing",
    "planning",
    "executing",
    "reflecting",
    "verifying",
    "completed",
    "failed",
  ];

  test("follow each other as the table says, and in no other way", () => {
    for (const from of phases) {
      for (const to of phases) {
        if (mayEnterPhase(from, to)) expect(setPhase(inPhase(from), to).l2_runtime.phase).toBe(to);
        else expect(() => setPhase(inPhase(from), to)).toThrow(expect.objectContaining({ code: "invalid-argument" }));
      }
    }
    expect(PHASE_TRANSITIONS.completed).toEqual(["planning"]);
    expect(() => setPhase(inPhase("completed"), "executing")).toThrow(
      "completed cannot become executing; it may become planning.",
    );
  });

  test("can all be reached from the first one, and work can always fail", () => {
    const reached = new Set<Phase>(["initializing"]);
    for (const phase of reached) for (const next of PHASE_TRANSITIONS[phase]) reached.add(next);
    expect(reached.size).toBe(phases.length);
    for (const phase of phases) if (phase !== "completed") expect(mayEnterPhase(phase, "failed")).toBe(true);
  });

  test("going on with a phase changes nothing; a phase that is none is refused", () => {
    expect(setPhase(state, "initializing")).toBe(state);
    // @ts-expect-error callers without types
    expect(() => setPhase(state, "resting")).toThrow('phase is "resting"');
  });
});

describe("what was done", () => {
  test("is taken down in order, the newest two hundred steps", () => {
    let busy = state;
    for (let at = 0; at < 205; at++)
      busy = recordStep(busy, { at, action: `call ${at}`, outcome: "success", durationMs: 1 });
    expect(busy.l2_runtime.history).toHaveLength(200);
    expect(busy.l2_runtime.history[0]?.at).toBe(5);
  });

  test("with sizes, warnings and retries where they are known", () => {
    const step = {
      at: 1,
      action: "run",
      outcome: "success",
      durationMs: 1,
      inputCharacters: 12,
      outputCharacters: 3,
    } as const;
    const whole = { ...step, warnings: ["slow"], retries: 2 };
    expect(readState(serializeState(recordStep(state, whole))).l2_runtime.history).toEqual([whole]);
    expect(() => recordStep(state, { ...step, retries: -1 })).toThrow("step.retries is -1");
  });

  test("and used before anyone counted cached tokens, adds up too", () => {
    const { cached, ...resources } = state.l2_runtime.resources;
    const old = readState(JSON.stringify({ ...state, l2_runtime: { ...state.l2_runtime, resources } }));
    expect(cached).toBe(0);
    expect(addUse(old, { cached: 3 }).l2_runtime.resources.cached).toBe(3);
  });

  test("and went wrong, until it is resolved", () => {
    const failed = recordFailure(state, { id: "f1", at: 1, error: "TS2345", toolName: "run" });
    expect(failed.l2_runtime.failures).toEqual([
      { id: "f1", at: 1, error: "TS2345", toolName: "run", isResolved: false },
    ]);
    const resolved = resolveFailure(failed, "f1");
    expect(resolved.l2_runtime.failures[0]?.isResolved).toBe(true);
    expect(resolveFailure(resolved, "f1")).toBe(resolved);
    expect(() => resolveFailure(failed, "f2")).toThrow(expect.objectContaining({ code: "not-found" }));
  });

  test("and used, adds up", () => {
    const first = addUse(state, { toolCalls: 2, costUsd: 0.5, inputTokens: 9, cached: 4 });
    const used = addUse(first, { toolCalls: 1, elapsedMs: 40, cached: 2 });
    expect(used.l2_runtime.resources).toEqual({
      toolCalls: 3,
      modelCalls: 0,
      inputTokens: 9,
      outputTokens: 0,
      cached: 6,
      costUsd: 0.5,
      elapsedMs: 40,
    });
    expect(() => addUse(state, { toolCalls: -1 })).toThrow("use.toolCalls is -1");
  });
});

describe("evidence", () => {
  test("observations last five minutes unless they are told otherwise", () => {
    const seen = addObservation(state, { id: "o", at: 0, source: "run", content: "3 failed" });
    expect(seen.l4_evidence.observations[0]?.ttlMs).toBe(300_000);
    expect(expire(seen, 299_999)).toBe(seen);
    expect(expire(seen, 300_000).l4_evidence.observations).toEqual([]);
  });

  test("is taken down by kind", () => {
    const retrieval = { id: "r", at: 0, query: "q", source: "s", content: "c", relevance: 0.4 };
    let seen = addRetrieval(state, retrieval);
    seen = addCitation(seen, { id: "c", source: "RFC 7519", quote: "MUST" });
    seen = addMeasurement(seen, { at: 0, name: "build", value: 3.5, unit: "s" });
    expect(seen.l4_evidence).toMatchObject({
      retrievals: [retrieval],
      citations: [{ id: "c" }],
      measurements: [{ value: 3.5 }],
    });
    expect(() => addRetrieval(state, { ...retrieval, relevance: 1.1 })).toThrow("retrieval.relevance");
  });
});

test("nothing of it changes the state that was given", () => {
  expect(JSON.stringify(state)).toBe(before);
});
