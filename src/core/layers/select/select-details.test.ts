import { describe, expect, test } from "vitest";
import { NOW } from "../../../../test/support/layered-states.ts";
import { ContextBuilder, type ContextBuilderOptions } from "../context/context-builder.ts";
import type { LayeredState } from "../layered-state.ts";
import { createInitialState } from "../state/initial-state.ts";
import { define, recordEpisode, setWorkingVariable } from "../updates/memory.ts";
import { putChange, putDraft, putHypothesis, setPlan } from "../updates/work-buffer.ts";
import { comparedTexts } from "./relevance.ts";

const empty = createInitialState("Rotate the JWT secret");
const build = (state: LayeredState, options: Partial<ContextBuilderOptions> = {}) =>
  new ContextBuilder({ totalTokens: 20_000, now: () => NOW, ...options }).build(state);

describe("of memory, a context shows", () => {
  test("working variables, with short-term memory", () => {
    const state = setWorkingVariable(setWorkingVariable(empty, "port", 7717), "a & b", true);
    expect(build(state).context).toContain(
      '<short-term>\n<variable name="port">7717</variable>\n<variable name="a &amp; b">true</variable>\n</short-term>',
    );
  });

  test("what a decision was chosen over, and how much a summary stands for", () => {
    let state = recordEpisode(empty, {
      ...{ type: "decision", id: "d", at: 1, content: "Use JWT.", reason: "stateless" },
      alternatives: ["cookies", "sessions"],
    });
    state = recordEpisode(state, {
      ...{ type: "summary", id: "s", at: 2, content: "Read all." },
      condensedFrom: ["m1", "m2"],
      tokenCount: 3,
    });
    const { context } = build(state);
    expect(context).toContain('<decision reason="stateless" alternatives="cookies; sessions">Use JWT.</decision>');
    expect(context).toContain('<summary condensed-from="2">Read all.</summary>');
  });

  test("a definition with its context, examples and references", () => {
    const definition = {
      term: "fold",
      meaning: "a reversible act of hiding",
      context: "core",
      examples: ["clip", "clear"],
      references: ["DESIGN.md"],
    };
    const state = define(empty, definition);
    expect(build(state, { similarity: (_, texts) => texts.map(() => 1) }).context).toContain(
      '<definition term="fold" context="core" references="DESIGN.md">a reversible act of hiding\nExample: clip\nExample: clear</definition>',
    );
    expect(comparedTexts(state)).toEqual(["fold: a reversible act of hiding (core)"]);
  });
});

describe("of the work buffer, a context shows", () => {
  test("confidence, before and after, durations and versions", () => {
    let state = putHypothesis(empty, {
      id: "h",
      statement: "It is the clock.",
      status: "untested",
      evidence: [],
      confidence: 0.4,
    });
    state = putChange(state, {
      path: "a.ts",
      type: "modify",
      description: "Fix it.",
      status: "applied",
      before: "x < y",
      after: "x <= y",
    });
    state = setPlan(state, [{ id: "read", description: "Read it", status: "done", dependsOn: [], durationMs: 90 }]);
    state = putDraft(putDraft(state, { id: "d", title: "reply", content: "No." }), {
      id: "d",
      title: "reply",
      content: "Yes.",
    });
    const { context } = build(state);
    expect(context).toContain('<hypothesis status="untested" confidence="0.4">');
    expect(context).toContain('status="applied">Fix it.\nBefore: x &lt; y\nAfter: x &lt;= y</change>');
    expect(context).toContain('<step id="read" status="done" duration-ms="90">');
    expect(context).toContain('<draft title="reply" version="2">Yes.</draft>');
    expect(context).not.toContain("No.");
  });
});
