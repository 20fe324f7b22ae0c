import {
  Agent,
  type ModelProvider,
  OpenAIProvider,
  Runner,
  type Session,
  setTracingDisabled,
  tool,
} from "@openai/agents";
import OpenAI from "openai";
import { z } from "zod";
import { fieldAt } from "../../src/core/json/read-json.ts";
import type { ModelServer } from "../../src/testing/index.ts";
import { ROOMS, roomLog, SYSTEM, TASK, TOOL_DESCRIPTION, TOOL_NAME } from "./thirty-turns.ts";

export const OPENAI_MODEL = "gpt-5.4";

// Traces go to OpenAI's servers.
setTracingDisabled(true);

export const readRoom = tool({
  name: TOOL_NAME,
  description: TOOL_DESCRIPTION,
  parameters: z.object({ room: z.number() }),
  execute: ({ room }) => roomLog(room),
});

/** The agent that reads thirty rooms, made as the SDK's guides make one. */
export function roomAgent(): Agent {
  return new Agent({ name: "Inspector", instructions: SYSTEM, model: OPENAI_MODEL, tools: [readRoom] });
}

/** The SDK's provider with OpenAI's client, which asks the scripted model. */
export function openAiProvider({ baseUrls }: ModelServer, wire: "openai" | "openai-responses"): ModelProvider {
  const openAIClient = new OpenAI({ baseURL: baseUrls[wire], apiKey: "key", maxRetries: 0 });
  return new OpenAIProvider({ openAIClient, useResponses: wire === "openai-responses" });
}

export interface RunOptions {
  readonly provider: ModelProvider;
  readonly session?: Session;
  readonly streams?: boolean;
  readonly input?: string;
}

export interface AgentRun {
  readonly finalOutput: string | undefined;
  /** The outputs of tools in the SDK's own history when it ended. */
  readonly results: readonly unknown[];
  readonly error: unknown;
}

export async function runAgent({ provider, session, streams = false, input = TASK }: RunOptions): Promise<AgentRun> {
  const runner = new Runner({ modelProvider: provider });
  const options = { maxTurns: 2 * ROOMS, ...(session !== undefined && { session }) };
  try {
    if (!streams) {
      const { finalOutput, history } = await runner.run(roomAgent(), input, options);
      return { finalOutput, results: resultsOf(history), error: undefined };
    }
    const stream = await runner.run(roomAgent(), input, { ...options, stream: true });
    await stream.completed;
    return { finalOutput: stream.finalOutput, results: resultsOf(stream.history), error: stream.error ?? undefined };
  } catch (error) {
    return { finalOutput: undefined, results: [], error };
  }
}

/** The texts that tools gave back, in a history of the SDK's. */
export function resultsOf(history: readonly object[]): readonly unknown[] {
  return history
    .filter((item) => fieldAt(item, "type") === "function_call_result")
    .map((item) => fieldAt(item, "output", "text") ?? fieldAt(item, "output"));
}
