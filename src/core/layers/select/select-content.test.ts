import { describe, expect, test } from "vitest";
import { NOW } from "../../../../test/support/layered-states.ts";
import { ContextBuilder, type ContextBuilderOptions } from "../context/context-builder.ts";
import type { Episode, LayeredState, PlanStep } from "../layered-state.ts";
import { createInitialState } from "../state/initial-state.ts";
import { addCitation, addMeasurement, addObservation, addRetrieval } from "../updates/evidence.ts";
import { addKnowledge, define, learnFact, recordEpisode, remember, setPreference } from "../updates/memory.ts";
import { addProcedure } from "../updates/procedures.ts";
import { recordFailure, resolveFailure } from "../updates/runtime.ts";
import { putChange, putDraft, putHypothesis, setPlan } from "../updates/work-buffer.ts";
import type { Similarity } from "./relevance.ts";

const empty = createInitialState("Rotate the JWT secret");
const build = (state: LayeredState, options: Partial<ContextBuilderOptions> = {}) =>
  new ContextBuilder({ totalTokens: 20_000, now: () => NOW, ...options }).build(state);

/** The texts of the elements of one name, in order. */
const shown = (state: LayeredState, tag: string, options?: Partial<ContextBuilderOptions>) =>
  Array.from(
    build(state, options).context.matchAll(new RegExp(`<${tag}(?: [^>]*)?>([^<]*)</${tag}>`, "g")),
    ([, text]) => text,
  );

/** Adds one entry for each number from 0. */
const grown = (count: number, add: (state: LayeredState, index: number) => LayeredState) =>
  Array.from({ length: count }, (_, index) => index).reduce(add, empty);

/** Texts that end in `~0.5` are so similar to the goal. */
const told: Similarity = (_, texts) => texts.map((text) => Number(/~([\d.]+)$/.exec(text)?.[1] ?? 0));

describe("of the system", () => {
  test("only hard policies are shown, highest priority first", () => {
    const policy = (id: string, priority: number, enforcement: "hard" | "soft") => ({
      id,
      category: "c",
      rule: id,
      priority,
      enforcement,
    });
    const policies = [
      policy("low", 1, "hard"),
      policy("soft", 9, "soft"),
      policy("top", 7, "hard"),
      policy("mid", 3, "hard"),
    ];
    expect(shown(createInitialState("Ship", { policies }), "policy")).toEqual(["top", "mid", "low"]);
  });

  test("limits, forbidden paths, approvals and the audit are shown", () => {
    const { context } = build(
      createInitialState("Ship", { constraints: { maxCostUsd: 2, forbiddenPaths: ["/etc", "/x & y"] } }),
    );
    expect(context).toContain(
      '<limits execution-time-ms="3600000" tool-calls="100" file-bytes="10485760" cost-usd="2"/>',
    );
    expect(context).toContain("<forbidden-paths>/etc\n/x &amp; y</forbidden-paths>");
    expect(context).toContain("<approval-required>delete, deploy</approval-required>");
    expect(context).toContain("<audit>Records are kept for 90 days.</audit>");
  });
});

test("all of the task is shown", () => {
  const task = {
    goal: "G",
    successCriteria: ["S1", "S2"],
    outputFormat: "O",
    constraints: ["C"],
    metadata: { ticket: "7" },
  };
  const { context } = build(createInitialState(task));
  expect(context).toContain(
    "<task>\n<goal>G</goal>\n<success-criterion>S1</success-criterion>\n<success-criterion>S2</success-criterion>\n" +
      '<output-format>O</output-format>\n<constraint>C</constraint>\n<metadata name="ticket">7</metadata>\n</task>',
  );
});

test("of errors the last three are shown, and whether they were resolved", () => {
  const failed = grown(5, (state, index) =>
    recordFailure(state, { id: `f${index}`, at: NOW + index, error: `E${index}`, toolName: "run" }),
  );
  expect(shown(failed, "error")).toEqual(["E2", "E3", "E4"]);
  expect(build(resolveFailure(failed, "f4")).context).toContain('<error tool="run" resolved="true">E4</error>');
});

describe("of memory", () => {
  test("the five newest short-term entries that live", () => {
    const remembered = grown(7, (state, index) =>
      remember(state, { id: `${index}`, at: NOW - 1_000 + index, content: `e${index}` }),
    );
    expect(shown(remembered, "entry")).toEqual(["e6", "e5", "e4", "e3", "e2"]);
    const dead = remember(remembered, { id: "late", at: NOW - 10, content: "late", ttlMs: 10 });
    expect(shown(dead, "entry")).not.toContain("late");
  });

  test("the five summaries nearest to the goal, also where none is near", () => {
    const similarities = [0.1, 0.9, 0.2, 0.05, 0.4, 0.3, 0];
    const episodes: Episode[] = similarities.map((value, index) => ({
      type: "summary",
      id: `${index}`,
      at: index,
      content: `s~${value}`,
    }));
    const state = episodes.reduce(recordEpisode, empty);
    expect(shown(state, "summary", { similarity: told })).toEqual(["s~0.9", "s~0.4", "s~0.3", "s~0.2", "s~0.1"]);
  });

  test("milestones above low, and all decisions with their reasons", () => {
    const importances = ["critical", "high", "medium", "low", "minimal"] as const;
    const episodes: Episode[] = importances.map((importance, index) => ({
      type: "milestone",
      id: importance,
      at: index,
      content: importance,
      importance,
    }));
    const state = recordEpisode(episodes.reduce(recordEpisode, empty), {
      type: "decision",
      id: "d",
      at: 9,
      content: "HS256",
      reason: "small",
    });
    expect(shown(state, "milestone")).toEqual(["medium", "high", "critical"]);
    expect(build(state).context).toContain('<decision reason="small">HS256</decision>');
  });

  test("the ten most confident facts of those that are verified and relevant", () => {
    const state = grown(30, (before, index) =>
      learnFact(before, {
        id: `${index}`,
        at: index,
        content: `f${index}~${index < 26 ? 0.31 : 0.3}`,
        source: "m1",
        confidence: index / 30,
        isVerified: index % 2 === 0,
      }),
    );
    const facts = shown(state, "fact", { similarity: told });
    expect(facts).toEqual([24, 22, 20, 18, 16, 14, 12, 10, 8, 6].map((index) => `f${index}~0.31`));
  });

  test("definitions, knowledge, skills, checklists and procedures that are relevant, most relevant first; three templates; all preferences", () => {
    const values = [0.3, 0.4, 0.9, 0.5, 0.6];
    const state = values.reduce((before, value) => {
      const procedure = { id: `${value}`, name: "n", content: `~${value}` };
      let after = define(before, { term: `t${value}`, meaning: `~${value}` });
      after = addKnowledge(after, { id: `${value}`, topic: "t", content: `~${value}` });
      after = setPreference(after, { key: `${value}`, value: `~${value}` });
      for (const kind of ["skills", "templates", "checklists", "procedures"] as const)
        after = addProcedure(after, kind, procedure);
      return after;
    }, empty);
    const options = { similarity: told };
    for (const tag of ["definition", "knowledge", "skill", "checklist", "procedure"]) {
      expect(shown(state, tag, options)).toEqual(["~0.9", "~0.6", "~0.5", "~0.4"]);
    }
    expect(shown(state, "template", options)).toEqual(["~0.9", "~0.6", "~0.5"]);
    expect(shown(state, "preference", options)).toEqual(values.map((value) => `~${value}`));
  });
});

describe("of evidence", () => {
  test("the five newest observations that live and are younger than a minute", () => {
    const seen = grown(8, (state, index) =>
      addObservation(state, { id: `${index}`, at: NOW - 60_001 + index, source: "run", content: `o${index}` }),
    );
    expect(shown(seen, "observation")).toEqual(["o7", "o6", "o5", "o4", "o3"]);
    const old = grown(3, (state, index) =>
      addObservation(state, { id: `${index}`, at: NOW - 60_001 + index, source: "run", content: `o${index}` }),
    );
    expect(shown(old, "observation")).toEqual(["o2"]);
    const dead = addObservation(empty, { id: "x", at: NOW - 50, source: "run", content: "x", ttlMs: 50 });
    expect(shown(dead, "observation")).toEqual([]);
  });

  test("the ten most relevant retrievals over 0.3", () => {
    const state = grown(20, (before, index) =>
      addRetrieval(before, {
        id: `${index}`,
        at: 0,
        query: "q",
        source: "s",
        content: `r${index}`,
        relevance: index / 20,
      }),
    );
    expect(shown(state, "retrieval")).toEqual([19, 18, 17, 16, 15, 14, 13, 12, 11, 10].map((index) => `r${index}`));
    const edge = [0.3, 0.31].reduce(
      (before, relevance) =>
        addRetrieval(before, { id: "", at: 0, query: "", source: "", content: `${relevance}`, relevance }),
      empty,
    );
    expect(shown(edge, "retrieval")).toEqual(["0.31"]);
  });

  test("measurements of the last minute, and citations", () => {
    let state = addMeasurement(empty, { at: NOW - 60_000, name: "old", value: 1, unit: "s" });
    state = addMeasurement(state, { at: NOW - 59_999, name: "build", value: 3.5, unit: "s" });
    state = addCitation(state, { id: "c", source: "RFC 7519", quote: "MUST" });
    expect(shown(state, "measurement")).toEqual(["3.5"]);
    expect(build(state).context).toContain('<citation source="RFC 7519">MUST</citation>');
  });
});

describe("of the work", () => {
  test("the plan in its order, changes, drafts, and the hypotheses that are still open", () => {
    const steps: PlanStep[] = [
      { id: "a", description: "read", status: "done", dependsOn: [] },
      { id: "b", description: "write", status: "in-progress", dependsOn: ["a"] },
    ];
    let state = putChange(setPlan(empty, steps), {
      path: "a.ts",
      type: "modify",
      description: "rotate",
      status: "applied",
    });
    state = putDraft(state, { id: "d", title: "notes", content: "a draft" });
    for (const status of ["untested", "confirmed", "refuted", "inconclusive"] as const) {
      state = putHypothesis(state, { id: status, statement: status, status, evidence: ["ntp", "log"] });
    }
    expect(shown(state, "step")).toEqual(["read", "write"]);
    expect(build(state).context).toContain('<step id="b" status="in-progress" depends-on="a">write</step>');
    expect(shown(state, "hypothesis")).toEqual(["untested", "inconclusive"]);
    expect(build(state).context).toContain('<change path="a.ts" type="modify" status="applied">rotate</change>');
    expect(build(state).context).toContain('<draft title="notes">a draft</draft>');
  });

  test("steps that are done go before those that are not", () => {
    const steps = Array.from(
      { length: 40 },
      (_, index): PlanStep => ({
        id: `s${index}`,
        description: `do the thing number ${index}`,
        status: index < 30 ? "done" : "pending",
        dependsOn: [],
      }),
    );
    const { context, metadata } = build(setPlan(empty, steps), { totalTokens: 1_000 });
    for (const { id } of steps.slice(30)) expect(context).toContain(`<step id="${id}"`);
    const omitted = metadata.layers.find(({ layer }) => layer === "workBuffer")?.omittedItems ?? 0;
    expect(omitted).toBeGreaterThan(0);
    expect(context).toMatch(new RegExp(`<left-out items="${omitted}" tokens="\\d+"/>`));
  });
});
