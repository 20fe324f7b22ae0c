/** The agent of thirty turns, built with Mastra. */
import { createAnthropic as createAnthropic7 } from "@ai-sdk/anthropic";
import { Agent } from "@mastra/core/agent";
import type { MastraModelConfig } from "@mastra/core/llm";
import { noopLogger } from "@mastra/core/logger";
import type { MastraMemory } from "@mastra/core/memory";
import type { ErrorProcessor, InputProcessor } from "@mastra/core/processors";
import { createTool } from "@mastra/core/tools";
import { createAnthropic as createAnthropic5 } from "ai-sdk-5-anthropic";
import { createAnthropic as createAnthropic6 } from "ai-sdk-6-anthropic";
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

/** One model of each kind that Mastra takes. */
export function modelsOf({ server }: Pick<ThirtyTurns, "server">) {
  const connection = { baseURL: server.baseUrls.anthropic, apiKey: "key" };
  // @ts-expect-error Mastra's copy of the types is older than the provider: "interrupted" is not among its finish reasons.
  const v4: MastraModelConfig = createAnthropic7(connection)(MODEL_ID);
  return { v2: createAnthropic5(connection)(MODEL_ID), v3: createAnthropic6(connection)(MODEL_ID), v4 };
}

export async function startMastraTurns() {
  const turns = await startThirtyTurns();
  return { turns, models: modelsOf(turns) };
}

interface InspectorOptions {
  readonly model: MastraModelConfig;
  readonly memory?: MastraMemory;
  readonly inputProcessors?: InputProcessor[];
  readonly errorProcessors?: ErrorProcessor[];
  readonly maxProcessorRetries?: number;
}

export function inspector(options: InspectorOptions): Agent {
  const agent = new Agent({
    id: "inspector",
    name: "Inspector",
    instructions: SYSTEM,
    tools: { [TOOL_NAME]: readRoom },
    ...options,
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
