import fc from "fast-check";
import { expect, test } from "vitest";
import { PROPERTY_RUNS } from "../../../test/support/property-runs.ts";
import { rewindText, treeRows } from "./session-tree.ts";

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

test("tells rewinds below their session, and which were taken back; the undo of a restore is none", () => {
  const rewinds = [
    { version: 30, at: 900_000, toVersion: 29, isUndo: false, messages: 0 },
    { version: 20, at: 600_000, toVersion: 11, isUndo: true, messages: 0 },
    { version: 12, at: 300_000, toVersion: 4, isUndo: false, messages: 7 },
    { version: 9, at: 60_000, toVersion: 7, isUndo: false, messages: 1 },
    { version: 6, at: 30_000, toVersion: 1, isUndo: false },
  ];
  const session = { id: "a", version: 31, createdAt: 0, updatedAt: 0 };
  const [row] = treeRows([session], [{ id: "a", rewinds }]);
  expect(row?.rewinds.map((rewind) => rewindText(rewind, 960_000))).toEqual([
    "rewound 11 minutes ago: 7 messages were set aside; taken back 6 minutes ago",
    "rewound 15 minutes ago: one message was set aside",
    "rewound 15 minutes ago: messages were set aside",
  ]);
  // An undo would take back the rewind of version 30 first.
  expect(row?.rewinds.map(({ isNext }) => isNext)).toEqual([false, false, false]);
  const [later] = treeRows([session], [{ id: "a", rewinds: rewinds.slice(1) }]);
  expect(later?.rewinds.map(({ isNext }) => isNext)).toEqual([false, true, false]);
  expect(treeRows([session], [])[0]?.rewinds).toEqual([]);
});
