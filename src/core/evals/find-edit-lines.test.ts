import { describe, expect, test } from "vitest";
import { assistant, call, result, user } from "../../../test/support/messages.ts";
import type { Message } from "../message/message.ts";
import { findEditLines, oldTexts } from "./find-edit-lines.ts";
import { indexSourceLines } from "./measures/source-lines.ts";

const BEFORE = [
  assistant(call("r", "Read", { file_path: "src/a.ts" })),
  user(result("r", "1→function start() {\n2→  const limit = 40;\n3→  return limit;\n4→}\n5→);;;;;;;;;")),
];

const edit = (id: string, oldText: string) =>
  call(id, "Edit", { file_path: "src/a.ts", old_string: oldText, new_string: "const limit = 50;" });

function editLines(...after: readonly Message[]): readonly string[] {
  const messages = [...BEFORE, ...after];
  const boundary = { index: BEFORE.length, horizonEnd: messages.length, tokens: 0 };
  const { lines } = indexSourceLines(BEFORE, new Set());
  return [...findEditLines({ name: "s", messages, compactions: [] }, boundary, lines)];
}

describe("lines that later edits expect", () => {
  test("are those of the old text that the log before had shown, if they say something", () => {
    const old = "function start() {\n  const limit = 40;\n  never shown before\n}\n);;;;;;;;;";
    expect(editLines(assistant(edit("e", old)))).toEqual(["function start() {", "const limit = 40;"]);
  });

  test.each([
    ["read", call("x", "Read", { file_path: "/repo/src/a.ts" })],
    ["printed by a command", call("x", "Bash", { command: "sed -n 1,9p src/a.ts | head" })],
    ["written", call("x", "Write", { file_path: "src/a.ts", content: "" })],
  ])("are none in a file that was %s in between", (_, between) => {
    expect(editLines(assistant(between), user(result("x", "…")), assistant(edit("e", "const limit = 40;")))).toEqual(
      [],
    );
  });

  test("leave out what a tool has shown since, whatever it was asked for", () => {
    const search = assistant(call("g", "Grep", { pattern: "limit" }));
    const found = user(result("g", "lib/b.ts:7:  return limit;"));
    expect(editLines(search, found, assistant(edit("e", "const limit = 40;\nreturn limit;")))).toEqual([
      "const limit = 40;",
    ]);
  });

  test("are those of all edits in one reply, and not of an edit after them", () => {
    const first = assistant(edit("e1", "function start() {"), edit("e2", "const limit = 40;"));
    const results = user(result("e1"), result("e2"));
    expect(editLines(first, results, assistant(edit("e3", "  return limit;")))).toEqual([
      "function start() {",
      "const limit = 40;",
    ]);
  });

  test("are none without edits", () => {
    expect(editLines()).toEqual([]);
    expect(editLines(assistant("done"))).toEqual([]);
  });
});

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
