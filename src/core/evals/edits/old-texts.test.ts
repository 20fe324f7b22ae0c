import { describe, expect, test } from "vitest";
import { oldTexts } from "./old-texts.ts";

describe("old texts of an edit", () => {
  test.each([
    ["Claude Code", { file_path: "a.ts", old_string: "x", new_string: "y" }],
    ["opencode", { filePath: "a.ts", oldString: "x", newString: "y" }],
    ["pi", { path: "a.ts", oldText: "x", newText: "y" }],
    ["OpenHands", { command: "str_replace", path: "a.ts", old_str: "x", new_str: "y" }],
  ])("are found in the arguments that %s uses", (_, input) => {
    expect(oldTexts(input)).toEqual([{ path: "a.ts", text: "x" }]);
  });

  test("are found in each edit of a list, with the path around it", () => {
    const input = { file_path: "a.ts", edits: [{ old_string: "x" }, { old_string: "y" }] };
    expect(oldTexts(input)).toEqual([
      { path: "a.ts", text: "x" },
      { path: "a.ts", text: "y" },
    ]);
  });

  const patch = [
    "*** Begin Patch",
    "*** Update File: src/a.ts",
    "*** Move to: src/b.ts",
    "@@ function run()",
    " kept();",
    "-gone();",
    "+new();",
    "*** Add File: src/c.ts",
    "+all new",
    "*** Delete File: src/d.ts",
    "*** Update File: src/e.ts",
    "-out",
    "*** End Patch",
    "-behind the end",
  ].join("\n");

  test.each([
    ["as it is", patch],
    ["as an argument", { patchText: patch }],
    ["inside a command", { cmd: `apply_patch <<'EOF'\n${patch}\nEOF` }],
  ])("are the kept and removed lines of a patch %s", (_, input) => {
    expect(oldTexts(input)).toEqual([
      { path: "src/a.ts", text: "kept();\ngone();" },
      { path: "src/e.ts", text: "out" },
    ]);
  });

  test("are the SEARCH blocks of a diff, without their line numbers", () => {
    const diff = "<<<<<<< SEARCH\n:start_line:4\n-------\nold one\nold two\n=======\nnew\n>>>>>>> REPLACE";
    expect(oldTexts({ path: "a.ts", diff })).toEqual([{ path: "a.ts", text: "old one\nold two" }]);
  });

  test("are none in a call that edits nothing, nor in half a block", () => {
    expect(oldTexts({ file_path: "a.ts", content: "x" })).toEqual([]);
    expect(oldTexts({ diff: "<<<<<<< SEARCH\nnever closed" })).toEqual([]);
    expect(oldTexts(undefined)).toEqual([]);
  });
});
