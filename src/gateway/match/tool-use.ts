import type { Message, ToolUseBlock } from "../../core/message/message.ts";
import { contentBlocks, isToolResult, isToolUse } from "../../core/message/tool-pairs.ts";
import { RECALL_TOOL_NAME } from "../../core/recall/tool-definition.ts";
import type { SessionSnapshot } from "../../engine/session/session.ts";
import type { Conversation } from "../sessions/session-pool.ts";
import type { IncomingRequest } from "./incoming-request.ts";

/** Whether calls of the agent's tools are made in this conversation: the recall tool may be the gateway's. */
export function hasCalls(log: readonly Message[]): boolean {
  return log.some(({ content }) => contentBlocks(content).some((block) => isToolUse(block) && !isRecall(block)));
}

function isRecall({ name }: ToolUseBlock): boolean {
  return name === RECALL_TOOL_NAME;
}

/**
 * Whether a request brings tools to work with. A tool that only gives the answer its form does not count: it must be called, or the calls
 * are of others.
 */
export function bringsTools({
  request: { tools, onlyTool },
  messages,
}: Pick<IncomingRequest, "request" | "messages">): boolean {
  if (tools.length === 0 || onlyTool === undefined) return tools.length > 0;
  const isCalled = (isSuch: (call: ToolUseBlock) => boolean) =>
    messages.some(({ content }) => contentBlocks(content).some((block) => isToolUse(block) && isSuch(block)));
  if (isCalled(({ name }) => name === onlyTool.name)) return true;
  return !onlyTool.isForced && !isCalled((call) => !isRecall(call));
}

/** Whether a request gives the model the result of a call, and nothing more: it goes on with the work, and asks nothing about it. */
export function endsWithResult({ messages }: Pick<IncomingRequest, "messages">): boolean {
  const last = contentBlocks(messages.at(-1)?.content ?? "").at(-1);
  return last !== undefined && isToolResult(last);
}

/** Remembers of a request that is written to its session's log whether it brings tools: one that does is enough. */
export function noteTools(conversation: Conversation, incoming: IncomingRequest): void {
  conversation.hasTools = conversation.hasTools === true || bringsTools(incoming);
}

/** Whether the requests of a session bring tools, so that one without is another's. Where nobody saw one, calls in its log say so. */
export function isWithTools({ hasTools }: Pick<Conversation, "hasTools">, snapshot: SessionSnapshot): boolean {
  return hasTools === true || (snapshot.hasTools ?? hasTools ?? hasCalls(snapshot.log));
}
