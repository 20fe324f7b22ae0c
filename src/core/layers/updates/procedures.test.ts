import { describe, expect, test } from "vitest";
import type { Checklist, LayeredState } from "../layered-state.ts";
import { createInitialState } from "../state/initial-state.ts";
import { readState, serializeState } from "../state/serialize-state.ts";
import { addProcedure, tickItem } from "./procedures.ts";

const state = createInitialState("Release the package");

const release: Checklist = {
  id: "c1",
  name: "release",
  content: "Before every release",
  items: [
    { id: "tests", text: "Run the tests", isDone: false },
    { id: "tag", text: "Tag the commit", isDone: false },
  ],
};
const withRelease = addProcedure(state, "checklists", release);
const doneOf = ({ l3_memory }: LayeredState) => l3_memory.procedural.checklists[0]?.items?.map(({ isDone }) => isDone);

describe("procedural memory", () => {
  test("keeps the structure of each kind, also as JSON", () => {
    const skill = { id: "s1", name: "deploy", content: "", steps: ["Build", "Upload"], tools: ["npm", "ssh"] };
    const template = { id: "t1", name: "note", content: "Hi {{name}}", variables: [{ name: "name", default: "you" }] };
    const procedure = { id: "p1", name: "review", content: "Read it twice", phases: ["verifying"] as const };
    const full = addProcedure(
      addProcedure(addProcedure(withRelease, "skills", skill), "templates", template),
      "procedures",
      procedure,
    );
    expect(readState(serializeState(full)).l3_memory.procedural).toEqual({
      skills: [skill],
      templates: [template],
      checklists: [release],
      procedures: [procedure],
    });
  });

  test("still takes entries that are only a text", () => {
    const plain = { id: "a", name: "b", content: "c" };
    for (const kind of ["skills", "templates", "checklists", "procedures"] as const) {
      expect(addProcedure(state, kind, plain).l3_memory.procedural[kind]).toEqual([plain]);
    }
  });

  test("refuses a checklist whose items share an id", () => {
    const items = [release.items?.[0], release.items?.[0]].flatMap((item) => item ?? []);
    expect(() => addProcedure(state, "checklists", { ...release, items })).toThrow('"tests" is there twice');
  });
});

describe("ticking an item", () => {
  test("gives a new state and leaves the old one as it was", () => {
    const before = JSON.stringify(withRelease);
    const ticked = tickItem(withRelease, { checklistId: "c1", itemId: "tag" });
    expect(doneOf(ticked)).toEqual([false, true]);
    expect(JSON.stringify(withRelease)).toBe(before);
    expect(doneOf(tickItem(ticked, { checklistId: "c1", itemId: "tag", isDone: false }))).toEqual([false, false]);
  });

  test("that is as it should be changes nothing", () => {
    expect(tickItem(withRelease, { checklistId: "c1", itemId: "tag", isDone: false })).toBe(withRelease);
  });

  test.each([
    [{ checklistId: "c2", itemId: "tag" }, 'No checklist has the id "c2"; there are "c1".'],
    [{ checklistId: "c1", itemId: "x" }, 'No item of the checklist "c1" has the id "x"; there are "tests", "tag".'],
  ])("%j is refused, saying what there is", (tick, message) => {
    expect(() => tickItem(withRelease, tick)).toThrow(message);
    expect(() => tickItem(state, { checklistId: "c1", itemId: "tag" })).toThrow("there are none");
  });
});
