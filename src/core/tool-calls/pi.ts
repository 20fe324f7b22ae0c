import type { ToolTable } from "./tool-table.ts";

const path = ["path", "file_path"];

/** Pi, and the Copilot CLI, which names its tools alike. */
export const PI_TOOLS: ToolTable = {
  read: { kind: "read", path },
  view: { kind: "read", path },
  write: { kind: "write", path, newText: ["content"] },
  create: { kind: "write", path, newText: ["content", "file_text"] },
  edit: { kind: "edit", path, oldText: ["oldText", "old_str"], newText: ["newText", "new_str"] },
  bash: { kind: "run", command: ["command"] },
  todo: { kind: "plan" },
};
