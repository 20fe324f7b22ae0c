import { describe, expect, test } from "vitest";
import type { Episode, LayeredState } from "../layered-state.ts";
import { createInitialState } from "../state/initial-state.ts";
import { readState, serializeState } from "../state/serialize-state.ts";
import {
  addKnowledge,
  define,
  learnFact,
  recordEpisode,
  remember,
  setPreference,
  setWorkingVariable,
} from "./memory.ts";
import { addProcedure } from "./procedures.ts";
import { expire } from "./time-to-live.ts";

const state = createInitialState("Rotate the secret");
const before = JSON.stringify(state);

const summary = (index: number): Episode => ({ type: "summary", id: `s${index}`, at: index, content: `part ${index}` });
const milestone = (index: number, importance: "high" | "low"): Episode => ({
  type: "milestone",
  id: `m${index}`,
  at: index,
  content: "done",
  importance,
});
const recordAll = (episodes: readonly Episode[]): LayeredState => episodes.reduce(recordEpisode, state);
const idsOf = ({ l3_memory }: LayeredState) => l3_memory.episodic.map(({ id }) => id);

describe("short-term memory", () => {
  const remembered = remember(state, { id: "a", at: 1_000, content: "the test failed" });

  test("lasts five minutes unless it is told otherwise", () => {
    expect(remembered.l3_memory.shortTerm).toEqual([
      { id: "a", at: 1_000, content: "the test failed", ttlMs: 300_000 },
    ]);
    expect(expire(remembered, 1_000 + 299_999)).toBe(remembered);
    expect(expire(remembered, 1_000 + 300_000).l3_memory.shortTerm).toEqual([]);
    const brief = remember(state, { id: "b", at: 0, content: "x", ttlMs: 10 });
    expect(expire(brief, 10).l3_memory.shortTerm).toEqual([]);
  });

  test("replaces what has the same id", () => {
    const again = remember(remembered, { id: "a", at: 2_000, content: "it passed" });
    expect(again.l3_memory.shortTerm.map(({ content }) => content)).toEqual(["it passed"]);
  });
});

describe("working variables", () => {
  const set = setWorkingVariable(setWorkingVariable(state, "port", 7717), "isReady", false);

  test("are kept by name until they are changed or forgotten", () => {
    expect(set.l3_memory.workingVariables).toEqual({ port: 7717, isReady: false });
    expect(setWorkingVariable(set, "port", "7718").l3_memory.workingVariables).toEqual({
      port: "7718",
      isReady: false,
    });
    // A changed value stays where it stood: what is shown before it stays the same.
    expect(Object.keys(setWorkingVariable(set, "port", 1).l3_memory.workingVariables ?? {})).toEqual([
      "port",
      "isReady",
    ]);
    expect(setWorkingVariable(set, "port", undefined).l3_memory.workingVariables).toEqual({ isReady: false });
    expect(expire(set, 1e15).l3_memory.workingVariables).toEqual({ port: 7717, isReady: false });
    expect(readState(serializeState(set))).toEqual(set);
  });

  test("may have any name", () => {
    const hostile = setWorkingVariable(state, "__proto__", "x");
    expect(Object.entries(hostile.l3_memory.workingVariables ?? {})).toEqual([["__proto__", "x"]]);
    expect(readState(serializeState(hostile))).toEqual(hostile);
  });
});

describe("episodic memory", () => {
  test("keeps fifty episodes; the oldest go", () => {
    const full = recordAll(Array.from({ length: 53 }, (_, index) => summary(index)));
    expect(idsOf(full)).toHaveLength(50);
    expect(idsOf(full)[0]).toBe("s3");
    expect(idsOf(full).at(-1)).toBe("s52");
  });

  test("keeps milestones above low longest, and those of low importance no longer than anything", () => {
    const full = recordAll([
      milestone(0, "high"),
      milestone(1, "low"),
      ...Array.from({ length: 50 }, (_, index) => summary(index + 2)),
    ]);
    expect(idsOf(full)).toHaveLength(50);
    expect(idsOf(full)).toContain("m0");
    expect(idsOf(full)).not.toContain("m1");
    expect(idsOf(full)).not.toContain("s2");
  });

  test("lets the oldest milestone go where there is nothing else", () => {
    const full = recordAll(Array.from({ length: 51 }, (_, index) => milestone(index, "high")));
    expect(idsOf(full)).toHaveLength(50);
    expect(idsOf(full)).not.toContain("m0");
  });
});

describe("lasting memory", () => {
  test("replaces what is known by the same id, term, key or name, in its place", () => {
    const fact = { id: "f", at: 1, content: "seven days", source: "m1", confidence: 0.5, isVerified: false };
    const other = { ...fact, id: "g" };
    const learned = learnFact(learnFact(learnFact(state, fact), other), { ...fact, confidence: 1 });
    expect(learned.l3_memory.semantic.facts).toEqual([{ ...fact, confidence: 1 }, other]);
    const defined = define(define(state, { term: "JWT", meaning: "?" }), { term: "JWT", meaning: "a token" });
    expect(defined.l3_memory.semantic.definitions).toEqual([{ term: "JWT", meaning: "a token" }]);
    const preferring = setPreference(setPreference(state, { key: "quotes", value: "single" }), {
      key: "quotes",
      value: "double",
    });
    expect(preferring.l3_memory.semantic.preferences).toEqual([{ key: "quotes", value: "double" }]);
    const knowing = addKnowledge(state, { id: "k", topic: "build", content: "tsc" });
    expect(knowing.l3_memory.semantic.projectKnowledge).toHaveLength(1);
  });

  test("holds each kind of procedure apart", () => {
    const skilled = addProcedure(state, "skills", { id: "p", name: "release", content: "tag, then push" });
    const both = addProcedure(skilled, "checklists", { id: "p", name: "release", content: "tests, notes" });
    expect(both.l3_memory.procedural).toMatchObject({
      skills: [{ id: "p" }],
      checklists: [{ id: "p" }],
      templates: [],
    });
    // @ts-expect-error callers without types
    expect(() => addProcedure(state, "songs", { id: "p", name: "", content: "" })).toThrow("one of skills, templates");
  });
});

test("what is no entry is refused by the field that is wrong", () => {
  // @ts-expect-error callers without types
  expect(() => remember(state, { id: "a", content: "x" })).toThrow("entry.at is undefined");
  // @ts-expect-error callers without types
  expect(() => remember(state)).toThrow(expect.objectContaining({ code: "invalid-argument" }));
  const fact = { id: "f", at: 1, content: "", source: "", confidence: 2, isVerified: true };
  expect(() => learnFact(state, fact)).toThrow("fact.confidence is 2; it must be a number from 0 to 1.");
});

test("nothing of it changes the state that was given", () => {
  expect(JSON.stringify(state)).toBe(before);
});
