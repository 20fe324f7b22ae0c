import type { ToolTable } from "./tool-table.ts";

export const SWE_AGENT_TOOLS: ToolTable = {
  open: { kind: "read", path: ["path"] },
  goto: { kind: "read" },
  scroll_up: { kind: "read" },
  scroll_down: { kind: "read" },
  create: { kind: "write", path: ["filename"] },
  // It edits whatever file is open.
  edit: { kind: "edit", oldText: ["search"], newText: ["replace", "replacement_text"] },
  insert: { kind: "edit", newText: ["text"] },
  bash: { kind: "run", command: ["command"] },
};

/** How outputs begin where an agent gets them as what the user said. */
export const SPOKEN_OUTPUTS: readonly string[] = [
  ...["<returncode>", "<output>", "<warning>", "OBSERVATION:", "Observation:", "EXECUTION RESULT of ["],
  ...["[The command completed", "<command_output>", "<local-command-stdout>", "<function_results>", "<tool_result>"],
];
