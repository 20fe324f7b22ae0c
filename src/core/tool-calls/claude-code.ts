import type { ToolTable } from "./tool-table.ts";

const path = ["file_path", "notebook_path"];

export const CLAUDE_CODE_TOOLS: ToolTable = {
  Read: { kind: "read", path },
  NotebookRead: { kind: "read", path },
  Write: { kind: "write", path, newText: ["content"] },
  Edit: { kind: "edit", path, oldText: ["old_string"], newText: ["new_string"] },
  MultiEdit: { kind: "edit", path, oldText: ["old_string"], newText: ["new_string"] },
  NotebookEdit: { kind: "edit", path, newText: ["new_source"] },
  Bash: { kind: "run", command: ["command"] },
  TodoWrite: { kind: "plan" },
  ExitPlanMode: { kind: "plan" },
  TaskCreate: { kind: "plan-step" },
  TaskUpdate: { kind: "plan-step" },
};
