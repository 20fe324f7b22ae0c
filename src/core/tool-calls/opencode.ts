import type { ToolTable } from "./tool-table.ts";

const path = ["filePath"];

export const OPENCODE_TOOLS: ToolTable = {
  read: { kind: "read", path: [...path, "path"] },
  write: { kind: "write", path: [...path, "path"], newText: ["content"] },
  edit: { kind: "edit", path: [...path, "path"], oldText: ["oldString"], newText: ["newString"] },
  multiedit: { kind: "edit", path, oldText: ["oldString"], newText: ["newString"] },
  patch: { kind: "edit", patch: ["patchText"] },
  bash: { kind: "run", command: ["command"] },
  todowrite: { kind: "plan" },
};
