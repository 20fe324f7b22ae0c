import type { Message, ToolResultBlock } from "../../core/message/message.ts";
import { contentBlocks, isToolResult, isToolUse } from "../../core/message/tool-pairs.ts";

/** Results for calls at the end of a log that never got any: the process ended, or the store failed, before they did. */
export function resultsOfOpenCalls(log: readonly Message[]): readonly ToolResultBlock[] {
  const last = log.findLastIndex((message) => message.role === "assistant");
  const answered = new Set(
    log
      .slice(last + 1)
      .flatMap(({ content }) =>
        contentBlocks(content).flatMap((block) => (isToolResult(block) ? [block.tool_use_id] : [])),
      ),
  );
  const calls = contentBlocks(log[last]?.content ?? "").filter(isToolUse);
  return calls
    .filter(({ id }) => !answered.has(id))
    .map(({ id }) => ({
      type: "tool_result",
      tool_use_id: id,
      content: "The agent was stopped before this call was finished.",
      is_error: true,
    }));
}
