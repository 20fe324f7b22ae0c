import { ChatAnthropic } from "@langchain/anthropic";
import type { BaseMessage } from "@langchain/core/messages";
import { type AgentMiddleware, createAgent, tool } from "langchain";
import { z } from "zod";
import type { ModelServer } from "../../src/testing/index.ts";
import { MODEL_ID, ROOMS, roomLog, SYSTEM, TASK, TOOL_DESCRIPTION, TOOL_NAME } from "./thirty-turns.ts";

export const readRoom = tool(({ room }) => roomLog(room), {
  name: TOOL_NAME,
  description: TOOL_DESCRIPTION,
  schema: z.object({ room: z.number() }),
});

/** LangChain's client of Anthropic, which asks the scripted model. */
export function chatModel(server: ModelServer): ChatAnthropic {
  return new ChatAnthropic({
    model: MODEL_ID,
    maxTokens: 1_000,
    anthropicApiUrl: server.url,
    apiKey: "key",
    maxRetries: 0,
  });
}

/** The agent that reads thirty rooms, made as LangChain's guides make one. */
export function roomAgent(server: ModelServer, middleware: readonly AgentMiddleware[]) {
  return createAgent({
    model: chatModel(server),
    tools: [readRoom],
    systemPrompt: SYSTEM,
    middleware: [...middleware],
  });
}

export interface AgentRun {
  /** The agent's own history when it ended; empty where it failed. */
  readonly messages: readonly BaseMessage[];
  readonly error: unknown;
}

export async function runAgent(agent: ReturnType<typeof roomAgent>, threadId: string): Promise<AgentRun> {
  try {
    const config = { recursionLimit: 4 * ROOMS, configurable: { thread_id: threadId } };
    const { messages } = await agent.invoke({ messages: [{ role: "user", content: TASK }] }, config);
    return { messages, error: undefined };
  } catch (error) {
    return { messages: [], error };
  }
}
