import { describe, expect, test } from "vitest";
import { call } from "../../../test/support/messages.ts";
import { type ToolAct, toolAct } from "./tool-act.ts";

function act(name: string, input: unknown): ToolAct {
  return toolAct(call("c1", name, input));
}

const PATCH = [
  "*** Begin Patch",
  "*** Update File: src/a.ts",
  "@@",
  " keep();",
  "-old();",
  "+fresh();",
  "*** End Patch",
].join("\n");

describe("what a call does", () => {
  test.each([
    ["Claude Code", "Read", { file_path: "/w/a.ts" }, "read", ["/w/a.ts read"]],
    ["Claude Code", "Write", { file_path: "/w/a.ts", content: "x" }, "write", ["/w/a.ts created"]],
    ["Claude Code", "Edit", { file_path: "/w/a.ts", old_string: "a", new_string: "b" }, "edit", ["/w/a.ts modified"]],
    ["Codex", "apply_patch", PATCH, "edit", ["src/a.ts modified"]],
    [
      "Codex",
      "shell",
      { command: ["bash", "-lc", `apply_patch <<'EOF'\n${PATCH}\nEOF`] },
      "edit",
      ["src/a.ts modified"],
    ],
    ["Codex", "exec_command", { cmd: "sed -n '1,80p' src/b.ts" }, "run", ["src/b.ts read"]],
    ["Gemini CLI", "read_file", { absolute_path: "/w/a.py" }, "read", ["/w/a.py read"]],
    ["Gemini CLI", "replace", { file_path: "a.py", old_string: "x", new_string: "y" }, "edit", ["a.py modified"]],
    ["Roo", "read_file", { args: { file: [{ path: "a.ts" }, { path: "b.ts" }] } }, "read", ["a.ts read", "b.ts read"]],
    ["Roo", "write_to_file", { path: "a.ts", content: "x" }, "write", ["a.ts created"]],
    ["OpenHands", "str_replace_editor", { command: "view", path: "/w/a.c" }, "read", ["/w/a.c read"]],
    [
      "OpenHands",
      "str_replace_editor",
      { command: "create", path: "/w/a.c", file_text: "" },
      "write",
      ["/w/a.c created"],
    ],
    ["opencode", "edit", { filePath: "a.ts", oldString: "x", newString: "y" }, "edit", ["a.ts modified"]],
    ["opencode", "apply_patch", { patchText: PATCH }, "edit", ["src/a.ts modified"]],
    ["pi", "edit", { path: "a.ts", edits: [{ oldText: "x", newText: "y" }] }, "edit", ["a.ts modified"]],
    ["SWE-agent", "open", { path: "src/fields.py", line_number: 3 }, "read", ["src/fields.py read"]],
    ["an MCP server", "mcp__files__read_file", { path: "a.ts" }, "read", ["a.ts read"]],
    ["no known agent", "fs_view_document", { path: "a.ts" }, "read", ["a.ts read"]],
    ["no known agent", "swap_text", { file: "a.ts", old_text: "x", new_text: "y" }, "edit", ["a.ts modified"]],
    ["no known agent", "remove_document", { path: "a.ts" }, "delete", ["a.ts deleted"]],
    ["no known agent", "ponder", { thought: "hm" }, "other", []],
  ])("of %s is known: %s %j", (_agent, name, input, kind, files) => {
    const found = act(name, input);
    expect(found.kind).toBe(kind);
    expect(found.files.map(({ path, touch }) => `${path} ${touch}`)).toEqual(files);
  });

  test("tells which lines an edit puts in, and which are gone after it", () => {
    const edit = act("Edit", {
      file_path: "a.ts",
      old_string: "  one();\n  two();",
      new_string: "  one();\n  three();",
    });
    expect([...edit.written]).toEqual(["one();", "three();"]);
    expect([...edit.removed]).toEqual(["two();"]);
    expect([...act("apply_patch", PATCH).removed]).toEqual(["old();"]);
  });

  test("reads SEARCH and REPLACE blocks", () => {
    const diff = "<<<<<<< SEARCH\n:start_line:3\n-------\nold line\n=======\nnew line\n>>>>>>> REPLACE";
    const edit = act("apply_diff", { path: "a.ts", diff });
    expect(edit.removed.has("old line")).toBe(true);
    expect([...edit.written]).toEqual(["new line"]);
  });

  test("sees what shell commands do to files", () => {
    const touches = (command: string) => act("Bash", { command }).files.map(({ path, touch }) => `${path} ${touch}`);
    expect(touches("cat src/a.ts | head -5")).toEqual(["src/a.ts read"]);
    expect(touches("rm -f old/b.ts && npm test")).toEqual(["old/b.ts deleted"]);
    expect(touches("cat > notes.md <<'EOF'\nrm -rf c.ts\nEOF")).toEqual(["notes.md modified"]);
    expect(touches("sed -i 's/a/b/' src/a.ts")).toEqual(["src/a.ts modified"]);
    expect(touches("sed -n '/func newTestClient/,/^}/p' a_test.go")).toEqual(["a_test.go read"]);
    expect(touches("sed -n 's/=.*$/=<set>/p' src/.env | rg '^(A|B)'")).toEqual(["src/.env read"]);
    expect(touches("sed -n 1,9p 'src/a.ts' > out/b.txt")).toEqual(["src/a.ts read", "out/b.txt modified"]);
    expect(touches("echo don't; cat src/a.ts")).toEqual(["src/a.ts read"]);
    expect(touches("npm test 2>/dev/null")).toEqual([]);
  });

  test("survives input that is hostile", () => {
    const throwing = Object.defineProperty({}, "command", {
      enumerable: true,
      get: () => {
        throw new Error("no");
      },
    });
    const cyclic: Record<string, unknown> = { path: "a.ts" };
    cyclic.self = cyclic;
    expect(act("str_replace_editor", throwing)).toMatchObject({ kind: "other", files: [] });
    expect(act("Read", cyclic).kind).toBe("read");
    for (const input of [undefined, null, 7, [], "x".repeat(100_000)]) expect(act("Bash", input).kind).toBe("run");
    expect(act("constructor", { path: "a" }).kind).toBe("other");
  });
});
