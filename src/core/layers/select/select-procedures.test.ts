import { describe, expect, test } from "vitest";
import { NOW } from "../../../../test/support/layered-states.ts";
import { ContextBuilder } from "../context/context-builder.ts";
import type { LayeredState } from "../layered-state.ts";
import { createInitialState } from "../state/initial-state.ts";
import { setPhase } from "../updates/phases.ts";
import { addProcedure, tickItem } from "../updates/procedures.ts";
import { comparedTexts, type Similarity } from "./relevance.ts";

const empty = createInitialState("Release the package");
const similarity: Similarity = (_, texts) => texts.map(() => 1);
const contextOf = (state: LayeredState) =>
  new ContextBuilder({ totalTokens: 20_000, now: () => NOW, similarity }).build(state).context;

describe("a context shows", () => {
  test("a skill with its description, its steps in order and its tools", () => {
    const skill = {
      id: "s1",
      name: "publish",
      content: "Never on a Friday.",
      description: "Use it to publish a version.",
      steps: ["Build it", "Publish it"],
      tools: ["npm", "git"],
    };
    expect(contextOf(addProcedure(empty, "skills", skill))).toContain(
      '<skill name="publish" tools="npm, git">Use it to publish a version.\nNever on a Friday.\n1. Build it\n2. Publish it</skill>',
    );
  });

  test("a template with the names of its variables, declared or not", () => {
    const template = { id: "t1", name: "note", content: "{{version}} of {{name}} and {{version}}" };
    expect(contextOf(addProcedure(empty, "templates", template))).toContain(
      '<template name="note" variables="version, name">',
    );
    const declared = { ...template, variables: [{ name: "name" }] };
    expect(contextOf(addProcedure(empty, "templates", declared))).toContain('<template name="note" variables="name">');
  });

  test("a checklist with what is done and what is not", () => {
    const items = [
      { id: "1", text: "Run the tests", isDone: false },
      { id: "2", text: "Tag the commit", isDone: false },
    ];
    const state = addProcedure(empty, "checklists", { id: "c1", name: "release", content: "Each time:", items });
    expect(contextOf(tickItem(state, { checklistId: "c1", itemId: "1" }))).toContain(
      '<checklist name="release" done="1/2">Each time:\n[x] Run the tests\n[ ] Tag the commit</checklist>',
    );
  });

  test("the procedures of the current phase, and those of every phase", () => {
    const procedure = (name: string) => ({ id: name, name, content: `About ${name}.` });
    let state = addProcedure(empty, "procedures", procedure("always"));
    state = addProcedure(state, "procedures", { ...procedure("first"), phases: ["initializing", "planning"] });
    state = addProcedure(state, "procedures", { ...procedure("later"), phases: ["executing"] });
    const names = (current: LayeredState) =>
      Array.from(contextOf(current).matchAll(/<procedure name="(\w+)"/g), ([, name]) => name).toSorted();
    expect(names(state)).toEqual(["always", "first"]);
    expect(names(setPhase(state, "planning"))).toEqual(["always", "first"]);
    expect(names(setPhase(state, "executing"))).toEqual(["always", "later"]);
    expect(comparedTexts(setPhase(state, "executing"))).toEqual(["always: About always.", "later: About later."]);
  });
});

describe("what is compared with the goal", () => {
  test("is a skill's description where it has one, and the items of a checklist", () => {
    const skill = {
      id: "s1",
      name: "publish",
      content: "A long text.",
      description: "To publish.",
      steps: ["Build it"],
    };
    const items = [{ id: "1", text: "Run the tests", isDone: true }];
    let state = addProcedure(empty, "skills", skill);
    state = addProcedure(state, "skills", { id: "s2", name: "plain", content: "A text." });
    state = addProcedure(state, "checklists", { id: "c1", name: "release", content: "", items });
    expect(comparedTexts(state)).toEqual([
      "publish: To publish.\nBuild it",
      "plain: A text.",
      "release: Run the tests",
    ]);
  });
});
