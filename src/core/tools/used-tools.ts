import { checkMessages } from "../message/check-messages.ts";
import type { Message } from "../message/message.ts";
import { contentBlocks, isToolResult, isToolUse } from "../message/tool-pairs.ts";

export interface UsedToolsOptions {
  /** `current-loop`: since the user's last message. @default "all" */
  readonly range?: "all" | "current-loop";
}

/**
 * The names of the tools that were called, in the order of their first call. Those of the `current-loop` are meant for
 * `keepTools`: a model in the middle of a series of calls should not lose the tool that it uses.
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

/** Whether a message is the user's own: agents put remarks of their own beside results, so that messages with results do not count. */
function isSpokenByUser({ role, content }: Message): boolean {
  return role === "user" && !contentBlocks(content).some(isToolResult);
}
