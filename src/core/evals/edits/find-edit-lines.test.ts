import { describe, expect, test } from "vitest";
import { assistant, call, result, user } from "../../../../test/support/messages.ts";
import type { Message } from "../../message/message.ts";
import { indexSourceLines } from "../measures/source-lines.ts";
import { findEditLines } from "./find-edit-lines.ts";

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
