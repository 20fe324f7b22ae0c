import { FUNCTION_WORDS } from "../text/function-words.ts";

/** Words that say nothing about what a task is about. */
export const STOP_WORDS: readonly string[] = [
  // what people ask of an agent, whatever the task
  ...["add", "allow", "build", "change", "check", "code", "create", "do", "ensure", "file", "find", "fix", "function"],
  ...["get", "help", "implement", "improve", "look", "make", "need", "new", "please", "project", "put", "run", "set"],
  ...["show", "sure", "task", "tell", "try", "update", "use", "want", "work", "write"],
  ...FUNCTION_WORDS,
];
