import fc from "fast-check";
import { expect, test } from "vitest";
import { PROPERTY_RUNS } from "../../../test/support/property-runs.ts";
import { treeRows } from "./session-tree.ts";

function sessions(...ids: readonly string[]) {
  return ids.map((id) => ({ id, version: 1, createdAt: 0, updatedAt: 0 }));
}

test("children stand below the session that they came from, in the order of the list", () => {
  const tree = [
    { id: "b", parentId: "a", relation: "sub-agent" as const },
    { id: "c", parentId: "b", relation: "branch" as const },
    { id: "d", parentId: "a" },
    { id: "e", parentId: "not listed" },
  ];
  const rows = treeRows(sessions("c", "e", "d", "a", "b"), tree);
  expect(rows.map(({ session, depth, relation }) => [session.id, depth, relation])).toEqual([
    ["e", 0, undefined],
    ["a", 0, undefined],
    ["d", 1, undefined],
    ["b", 1, "sub-agent"],
    ["c", 2, "branch"],
  ]);
});

test("every session is listed once, whatever is said about its parents", () => {
  const ids = ["a", "b", "c", "d", "e"];
  const entry = fc.record({ id: fc.constantFrom(...ids), parentId: fc.constantFrom(...ids, "x") });
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 8 }), (tree) => {
      const listed = treeRows(sessions(...ids), tree).map(({ session }) => session.id);
      expect(listed.toSorted()).toEqual(ids);
    }),
    PROPERTY_RUNS,
  );
});
