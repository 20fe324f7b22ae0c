import type { ToolSwitch, ToolTable } from "./tool-table.ts";

const path = ["path"];

const EDITOR: ToolSwitch = {
  argument: "command",
  rules: {
    view: { kind: "read", path },
    create: { kind: "write", path, newText: ["file_text"] },
    str_replace: { kind: "edit", path, oldText: ["old_str"], newText: ["new_str"] },
    insert: { kind: "edit", path, newText: ["new_str"] },
    undo_edit: { kind: "edit", path },
  },
};

/** The editor of OpenHands, which SWE-agent and others took over. */
export const OPENHANDS_TOOLS: ToolTable = {
  str_replace_editor: EDITOR,
  file_editor: EDITOR,
  edit_file: { kind: "edit", path, newText: ["content"] },
  execute_bash: { kind: "run", command: ["command"] },
  terminal: { kind: "run", command: ["command"] },
  execute_ipython_cell: { kind: "run", command: ["code"] },
  run_ipython: { kind: "run", command: ["code"] },
  run: { kind: "run", command: ["command"] },
  task_tracker: { kind: "plan" },
};
