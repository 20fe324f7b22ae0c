/** The AI SDK in the three versions that people use, each with another provider, against the scripted server. */
import { createAnthropic } from "@ai-sdk/anthropic";
import * as ai7 from "ai";
import * as ai5 from "ai-5";
import * as ai6 from "ai-6";
import { createGoogleGenerativeAI } from "ai-sdk-5-google";
import { createOpenAI } from "ai-sdk-6-openai";
import { z } from "zod";
import type { AiSdkPrompt } from "../../src/messages/index.ts";
import type { ModelServer } from "../../src/testing/index.ts";

// What a provider leaves out of a prompt is told on the console: here that is wanted.
Reflect.set(globalThis, "AI_SDK_LOG_WARNINGS", false);

/** The SDK fetches images for providers that take no addresses; there is nothing to be fetched here. */
const DOWNLOADED = { data: new Uint8Array([0x89, 0x50, 0x4e, 0x47]), mediaType: "image/png" };

const inputSchema = z.object({ path: z.string().optional() });

/** Any tool will do: requests with calls must declare one. */
export const AI_SDK_TOOLS: ai7.ToolSet = { read_file: ai7.tool({ inputSchema }) };

/** Sends a prompt with each of them; rejected where the SDK or the server refuses it. */
export async function sendWithAiSdk({ baseUrls }: ModelServer, contextWindow: number, prompt: AiSdkPrompt) {
  const settings = { maxRetries: 0, ...prompt };
  const anthropic = createAnthropic({ baseURL: baseUrls.anthropic, apiKey: "key" });
  const openAi = createOpenAI({ baseURL: baseUrls.openai, apiKey: "key" });
  const google = createGoogleGenerativeAI({ baseURL: baseUrls.gemini, apiKey: "key" });
  await ai7.generateText({
    model: anthropic(`claude-w${contextWindow}`),
    tools: AI_SDK_TOOLS,
    ...settings,
  });
  await ai6.generateText({
    model: openAi.chat(`gpt-w${contextWindow}`),
    tools: { read_file: ai6.tool({ inputSchema }) },
    ...settings,
  });
  await ai5.generateText({
    model: google(`gemini-2.5-w${contextWindow}`),
    experimental_download: async (wanted) => wanted.map(() => DOWNLOADED),
    tools: { read_file: ai5.tool({ inputSchema }) },
    ...settings,
  });
}
