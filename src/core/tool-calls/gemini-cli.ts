import type { ToolTable } from "./tool-table.ts";

const path = ["file_path", "absolute_path"];

export const GEMINI_CLI_TOOLS: ToolTable = {
  read_file: { kind: "read", path: [...path, "path"] },
  read_many_files: { kind: "read", path: ["paths", "include"] },
  write_file: { kind: "write", path, newText: ["content"] },
  replace: { kind: "edit", path, oldText: ["old_string"], newText: ["new_string"] },
  run_shell_command: { kind: "run", command: ["command"] },
  write_todos: { kind: "plan" },
  update_topic: { kind: "plan" },
};
