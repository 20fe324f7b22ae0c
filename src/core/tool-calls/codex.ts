import type { ToolTable } from "./tool-table.ts";

/** Codex and the Copilot CLI: files are read by shell commands and changed by patches. */
export const CODEX_TOOLS: ToolTable = {
  shell: { kind: "run", command: ["command"], patch: ["command"] },
  shell_command: { kind: "run", command: ["command"], patch: ["command"] },
  exec_command: { kind: "run", command: ["cmd"], patch: ["cmd"] },
  local_shell: { kind: "run", command: ["command"], patch: ["command"] },
  container_exec: { kind: "run", command: ["cmd"], patch: ["cmd"] },
  apply_patch: { kind: "edit", patch: ["", "input", "patch", "patchText"] },
  view_image: { kind: "read", path: ["path"] },
  update_plan: { kind: "plan" },
};
