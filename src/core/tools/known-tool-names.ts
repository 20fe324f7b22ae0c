/** What the tools of well-known agents can do: Claude Code, Codex, Gemini CLI, Roo and Cline, OpenHands, opencode, pi. */
export const KNOWN_TOOL_NAMES: Readonly<Record<string, readonly string[]>> = {
  readFile: [
    ...["read", "view", "cat", "view_file", "open_file", "read_many_files", "view_image", "notebook_read"],
    ...["ls", "list", "list_dir", "list_directory", "list_files", "str_replace_editor", "str_replace_based_edit_tool"],
  ],
  search: [
    ...["grep", "glob", "find", "find_files", "search_files", "file_search", "grep_files", "search_file_content"],
    ...["codebase_search", "list_code_definition_names", "web_search", "google_web_search", "web_fetch", "fetch"],
  ],
  writeFile: ["write", "write_to_file", "create_file", "new_file"],
  modify: [
    ...["edit", "multi_edit", "edit_file", "notebook_edit", "apply_diff", "apply_patch", "patch", "replace"],
    ...["replace_in_file", "search_and_replace", "insert_content", "str_replace"],
    ...["str_replace_editor", "str_replace_based_edit_tool"],
  ],
  execute: [
    ...["bash", "shell", "local_shell", "exec", "exec_command", "execute_command", "execute_bash", "run_command"],
    ...["run_shell_command", "terminal", "execute_ipython_cell"],
  ],
  test: ["run_test", "run_tests", "test_runner"],
};
