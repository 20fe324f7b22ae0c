/** The agent of thirty turns, built with Mastra. */
import { createAnthropic } from "@ai-sdk/anthropic";
import { Agent, type AgentConfig } from "@mastra/core/agent";
import { noopLogger } from "@mastra/core/logger";
import { createTool } from "@mastra/core/tools";
import { z } from "zod";
import {
  MODEL_ID,
  roomLog,
  SYSTEM,
  startThirtyTurns,
  TASK,
  type ThirtyTurns,
  TOOL_DESCRIPTION,
  TOOL_NAME,
} from "./thirty-turns.ts";

export const readRoom = createTool({
  id: TOOL_NAME,
  description: TOOL_DESCRIPTION,
  inputSchema: z.object({ room: z.number() }),
  execute: async ({ room }) => roomLog(room),
});

export const THREAD = { thread: "inspection", resource: "harbour" };
export const CALL = { maxSteps: 40, memory: THREAD };

export async function startMastraTurns() {
  const turns = await startThirtyTurns();
  return { turns, model: modelOf(turns) };
}

export function modelOf({ server }: Pick<ThirtyTurns, "server">) {
  return createAnthropic({ baseURL: server.baseUrls.anthropic, apiKey: "key" })(MODEL_ID);
}

export function inspector(config: Pick<AgentConfig, "model"> & Partial<AgentConfig>): Agent {
  const agent = new Agent({
    id: "inspector",
    name: "Inspector",
    instructions: SYSTEM,
    tools: { [TOOL_NAME]: readRoom },
    ...config,
  });
  // Refusals are what some runs are for: they need not be told on the terminal.
  agent.__setLogger(noopLogger);
  return agent;
}

/** Runs to its end, or to the refusal that ends it. */
export async function endOf(agent: Agent): Promise<string> {
  return agent.generate(TASK, CALL).then(
    () => "finished",
    () => "refused",
  );
}
