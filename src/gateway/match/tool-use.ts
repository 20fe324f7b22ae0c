import type { Message, ToolUseBlock } from "../../core/message/message.ts";
import { contentBlocks, isToolResult, isToolUse } from "../../core/message/tool-pairs.ts";
import { RECALL_TOOL_NAME } from "../../core/recall/tool-definition.ts";
import type { Conversation } from "../sessions/session-pool.ts";
import type { IncomingRequest } from "./incoming-request.ts";
import type { KnownSession } from "./log-facts.ts";

/** Whether a log has calls of the agent's tools. The recall tool does not count: the gateway may have offered it. */
export function hasCalls(log: readonly Message[]): boolean {
  return log.some(({ content }) => contentBlocks(content).some((block) => isToolUse(block) && !isRecall(block)));
}

function isRecall({ name }: ToolUseBlock): boolean {
  return name === RECALL_TOOL_NAME;
}

/**
 * Whether a request brings tools to work with. A single tool that only serves to give the answer a form does not count, unless it was called
 * before. If the model is not forced to call it, it also counts in a conversation without other calls.
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

/** Whether a request ends with a tool result: then it continues the agent's work, and is no side call about it. */
export function endsWithResult({ messages }: Pick<IncomingRequest, "messages">): boolean {
  const last = contentBlocks(messages.at(-1)?.content ?? "").at(-1);
  return last !== undefined && isToolResult(last);
}

/** Notes on a conversation whether any of its recorded requests brought tools. */
export function noteTools(conversation: Conversation, incoming: IncomingRequest): void {
  conversation.agent.hasTools = conversation.agent.hasTools === true || bringsTools(incoming);
}

/** Whether the requests of a session bring tools: then a request without tools is not one of them. If none was seen, calls in the log decide. */
export async function isWithTools(
  { agent: { hasTools }, session }: Pick<Conversation, "agent" | "session">,
  snapshot: KnownSession,
): Promise<boolean> {
  const known = hasTools === true || (snapshot.hasTools ?? hasTools);
  return known ?? hasCalls(snapshot.log ?? (await (await session()).log()));
}
