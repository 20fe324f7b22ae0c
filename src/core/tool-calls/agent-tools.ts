import type { ToolSwitch, ToolTable } from "./tool-table.ts";

const CLAUDE_CODE_PATH = ["file_path", "notebook_path"];

const CLAUDE_CODE_TOOLS: ToolTable = {
  Read: { kind: "read", path: CLAUDE_CODE_PATH },
  NotebookRead: { kind: "read", path: CLAUDE_CODE_PATH },
  Write: { kind: "write", path: CLAUDE_CODE_PATH, newText: ["content"] },
  Edit: { kind: "edit", path: CLAUDE_CODE_PATH, oldText: ["old_string"], newText: ["new_string"] },
  MultiEdit: { kind: "edit", path: CLAUDE_CODE_PATH, oldText: ["old_string"], newText: ["new_string"] },
  NotebookEdit: { kind: "edit", path: CLAUDE_CODE_PATH, newText: ["new_source"] },
  Bash: { kind: "run", command: ["command"] },
  TodoWrite: { kind: "plan" },
  ExitPlanMode: { kind: "plan" },
  TaskCreate: { kind: "plan-step" },
  TaskUpdate: { kind: "plan-step" },
};

/** Codex and the Copilot CLI: files are read by shell commands and changed by patches. */
const CODEX_TOOLS: ToolTable = {
  shell: { kind: "run", command: ["command"], patch: ["command"] },
  shell_command: { kind: "run", command: ["command"], patch: ["command"] },
  exec_command: { kind: "run", command: ["cmd"], patch: ["cmd"] },
  local_shell: { kind: "run", command: ["command"], patch: ["command"] },
  container_exec: { kind: "run", command: ["cmd"], patch: ["cmd"] },
  apply_patch: { kind: "edit", patch: ["", "input", "patch", "patchText"] },
  view_image: { kind: "read", path: ["path"] },
  update_plan: { kind: "plan" },
};

const GEMINI_CLI_PATH = ["file_path", "absolute_path"];

const GEMINI_CLI_TOOLS: ToolTable = {
  read_file: { kind: "read", path: [...GEMINI_CLI_PATH, "path"] },
  read_many_files: { kind: "read", path: ["paths", "include"] },
  write_file: { kind: "write", path: GEMINI_CLI_PATH, newText: ["content"] },
  replace: { kind: "edit", path: GEMINI_CLI_PATH, oldText: ["old_string"], newText: ["new_string"] },
  run_shell_command: { kind: "run", command: ["command"] },
  write_todos: { kind: "plan" },
  update_topic: { kind: "plan" },
};

const ROO_PATH = ["path", "file_path"];

/** Roo Code, Cline and the Cline SDK. */
const ROO_TOOLS: ToolTable = {
  read_file: { kind: "read", path: ROO_PATH },
  read_files: { kind: "read", path: ROO_PATH },
  write_to_file: { kind: "write", path: ROO_PATH, newText: ["content"] },
  apply_diff: { kind: "edit", path: ROO_PATH, patch: ["diff", "content"] },
  replace_in_file: { kind: "edit", path: ROO_PATH, patch: ["diff"] },
  search_and_replace: { kind: "edit", path: ROO_PATH, oldText: ["search"], newText: ["replace"] },
  search_replace: { kind: "edit", path: ROO_PATH, oldText: ["old_string"], newText: ["new_string"] },
  insert_content: { kind: "edit", path: ROO_PATH, newText: ["content"] },
  editor: { kind: "edit", path: ROO_PATH, oldText: ["old_text"], newText: ["new_text"] },
  execute_command: { kind: "run", command: ["command"] },
  run_commands: { kind: "run", command: ["commands"] },
  update_todo_list: { kind: "plan" },
  focus_chain: { kind: "plan" },
};

const EDITOR_PATH = ["path"];

const EDITOR: ToolSwitch = {
  argument: "command",
  rules: {
    view: { kind: "read", path: EDITOR_PATH },
    create: { kind: "write", path: EDITOR_PATH, newText: ["file_text"] },
    str_replace: { kind: "edit", path: EDITOR_PATH, oldText: ["old_str"], newText: ["new_str"] },
    insert: { kind: "edit", path: EDITOR_PATH, newText: ["new_str"] },
    undo_edit: { kind: "edit", path: EDITOR_PATH },
  },
};

/** The editor of OpenHands, which SWE-agent and others took over. */
const OPENHANDS_TOOLS: ToolTable = {
  str_replace_editor: EDITOR,
  file_editor: EDITOR,
  edit_file: { kind: "edit", path: EDITOR_PATH, newText: ["content"] },
  execute_bash: { kind: "run", command: ["command"] },
  terminal: { kind: "run", command: ["command"] },
  execute_ipython_cell: { kind: "run", command: ["code"] },
  run_ipython: { kind: "run", command: ["code"] },
  run: { kind: "run", command: ["command"] },
  task_tracker: { kind: "plan" },
};

const OPENCODE_PATH = ["filePath"];

const OPENCODE_TOOLS: ToolTable = {
  read: { kind: "read", path: [...OPENCODE_PATH, "path"] },
  write: { kind: "write", path: [...OPENCODE_PATH, "path"], newText: ["content"] },
  edit: { kind: "edit", path: [...OPENCODE_PATH, "path"], oldText: ["oldString"], newText: ["newString"] },
  multiedit: { kind: "edit", path: OPENCODE_PATH, oldText: ["oldString"], newText: ["newString"] },
  patch: { kind: "edit", patch: ["patchText"] },
  bash: { kind: "run", command: ["command"] },
  todowrite: { kind: "plan" },
};

const PI_PATH = ["path", "file_path"];

/** Pi, and the Copilot CLI, which names its tools alike. */
const PI_TOOLS: ToolTable = {
  read: { kind: "read", path: PI_PATH },
  view: { kind: "read", path: PI_PATH },
  write: { kind: "write", path: PI_PATH, newText: ["content"] },
  create: { kind: "write", path: PI_PATH, newText: ["content", "file_text"] },
  edit: { kind: "edit", path: PI_PATH, oldText: ["oldText", "old_str"], newText: ["newText", "new_str"] },
  bash: { kind: "run", command: ["command"] },
  todo: { kind: "plan" },
};

const SWE_AGENT_TOOLS: ToolTable = {
  open: { kind: "read", path: ["path"] },
  goto: { kind: "read" },
  scroll_up: { kind: "read" },
  scroll_down: { kind: "read" },
  create: { kind: "write", path: ["filename"] },
  // It has no path: it edits the file that is open.
  edit: { kind: "edit", oldText: ["search"], newText: ["replace", "replacement_text"] },
  insert: { kind: "edit", newText: ["text"] },
  bash: { kind: "run", command: ["command"] },
};

/** The tools of all known agents. */
export const TOOL_TABLES: readonly ToolTable[] = [
  ...[CLAUDE_CODE_TOOLS, CODEX_TOOLS, GEMINI_CLI_TOOLS, ROO_TOOLS, OPENHANDS_TOOLS],
  ...[OPENCODE_TOOLS, PI_TOOLS, SWE_AGENT_TOOLS],
];
