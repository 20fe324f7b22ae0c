import type { ToolTable } from "./tool-table.ts";

const path = ["path", "file_path"];

/** Roo Code, Cline and the Cline SDK. */
export const ROO_TOOLS: ToolTable = {
  read_file: { kind: "read", path },
  read_files: { kind: "read", path },
  write_to_file: { kind: "write", path, newText: ["content"] },
  apply_diff: { kind: "edit", path, patch: ["diff", "content"] },
  replace_in_file: { kind: "edit", path, patch: ["diff"] },
  search_and_replace: { kind: "edit", path, oldText: ["search"], newText: ["replace"] },
  search_replace: { kind: "edit", path, oldText: ["old_string"], newText: ["new_string"] },
  insert_content: { kind: "edit", path, newText: ["content"] },
  editor: { kind: "edit", path, oldText: ["old_text"], newText: ["new_text"] },
  execute_command: { kind: "run", command: ["command"] },
  run_commands: { kind: "run", command: ["commands"] },
  update_todo_list: { kind: "plan" },
  focus_chain: { kind: "plan" },
};
