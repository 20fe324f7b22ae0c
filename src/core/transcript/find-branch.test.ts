import { describe, expect, test } from "vitest";
import { type BranchRecord, findBranch } from "./find-branch.ts";

/** Records in the order of their file, each with its parent. */
function tree(...links: readonly (readonly [id: string, parentId?: string])[]): ReadonlyMap<string, BranchRecord> {
  return new Map(links.map(([id, parentId], index) => [id, { id, parentId, previousId: links[index - 1]?.[0] }]));
}

describe("findBranch", () => {
  test("leads from the root to the leaf, and leaves other branches out", () => {
    const records = tree(["a"], ["b", "a"], ["c", "a"], ["d", "c"]);
    expect(findBranch(records, "d")).toEqual({ ids: ["a", "c", "d"], brokenIds: [] });
  });

  test("goes on with the record before one whose parent is missing", () => {
    expect(findBranch(tree(["a"], ["b", "gone"], ["c", "b"]), "c")).toEqual({ ids: ["a", "b", "c"], brokenIds: ["b"] });
  });

  test("follows a parent that was written later", () => {
    expect(findBranch(tree(["a"], ["c", "b"], ["b", "a"], ["d", "c"]), "d").ids).toEqual(["a", "b", "c", "d"]);
  });

  test("breaks circles of any length, and visits each record once", () => {
    expect(findBranch(tree(["a", "c"], ["b", "a"], ["c", "b"]), "c")).toEqual({
      ids: ["a", "b", "c"],
      brokenIds: ["a"],
    });
    expect(findBranch(tree(["a"], ["b", "b"]), "b")).toEqual({ ids: ["a", "b"], brokenIds: ["b"] });
  });

  test("of a leaf that is not there is that leaf alone", () => {
    expect(findBranch(tree(["a"]), "x").ids).toEqual(["x"]);
  });
});
