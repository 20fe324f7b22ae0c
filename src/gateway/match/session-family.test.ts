import { expect, test } from "vitest";
import { familyOf, parentOf } from "./session-family.ts";

const IDS = ["a:1/x", "a:1/y", "a:1", "a:1~b", "a:x/z", "a:2/x2", "a:2", "auto-1"];

test("a family is the agent that started a session, its other sub-agents, and theirs", () => {
  for (const id of ["a:1", "a:1/x", "a:1/y", "a:1~b", "a:x/z"]) {
    expect([id, ...familyOf(id, IDS)].toSorted()).toEqual(["a:1", "a:1/x", "a:1/y", "a:1~b", "a:x/z"].toSorted());
  }
  expect(familyOf("a:2", IDS)).toEqual(["a:2/x2"]);
  expect(familyOf("auto-1", IDS)).toEqual([]);
});

test("sub-agents are of one family also where the one that started them is not known", () => {
  expect(familyOf("a:9/x", ["a:9/x", "a:9/y", "a:8/x"])).toEqual(["a:9/y"]);
});

test("names that lead to each other are no parents of anyone for ever", () => {
  expect(familyOf("a:x/y", ["a:x/y", "a:y/x"])).toEqual(expect.any(Array));
  expect(parentOf("a:x/y", new Set(["a:y/x"]))).toEqual({ parentId: "a:y/x", relation: "sub-agent" });
});
