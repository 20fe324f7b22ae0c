import { checkMessages } from "../message/check-messages.ts";
import type { Message } from "../message/message.ts";
import { contentBlocks, isToolResult, isToolUse } from "../message/tool-pairs.ts";

export interface UsedToolsOptions {
  /** `current-loop`: since the person last spoke. @default "all" */
  readonly range?: "all" | "current-loop";
}

/**
 * The names of the tools that were called, in the order of their first call. With `current-loop`, the ones to pass as
 * `keepTools`: a model in the middle of a series of calls should not lose the tool that it works with.
 * @example
 * ```ts
 * import { usedTools } from "palimpsest/agent";
 * const call = (name: string) => ({ role: "assistant", content: [{ type: "tool_use", id: name, name, input: {} }] }) as const;
 * console.log(usedTools([call("read_file"), call("run_tests")])); // [ 'read_file', 'run_tests' ]
 * ```
 */
export function usedTools(messages: readonly Message[], { range = "all" }: UsedToolsOptions = {}): readonly string[] {
  checkMessages(messages);
  const start = range === "all" ? 0 : messages.findLastIndex(isSpokenByUser) + 1;
  const calls = messages.slice(start).flatMap(({ content }) => contentBlocks(content).filter(isToolUse));
  return [...new Set(calls.map(({ name }) => name))];
}

/** Agents put remarks of their own beside results: only a message without results is the person's. */
function isSpokenByUser({ role, content }: Message): boolean {
  return role === "user" && !contentBlocks(content).some(isToolResult);
}
