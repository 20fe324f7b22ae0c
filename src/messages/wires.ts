import type { Message } from "../core/message/message.ts";
import type { PromptOptions } from "./shared/options.ts";

type ToPrompt = (messages: readonly Message[], options?: PromptOptions) => object;

/** The converters that `session.prepare({ as })` can name. Each is loaded when it is first used, so that a program loads only its own. */
export const WIRES = {
  "ai-sdk": async () => (await import("./ai-sdk/to-ai-sdk.ts")).toAiSdk,
  anthropic: async () => (await import("./anthropic/to-anthropic.ts")).toAnthropic,
  gemini: async () => (await import("./gemini/to-gemini.ts")).toGemini,
  langchain: async () => (await import("./langchain/to-langchain.ts")).toLangChain,
  "openai-chat": async () => (await import("./openai-chat/to-openai-chat.ts")).toOpenAiChat,
  "openai-responses": async () => (await import("./openai-responses/to-openai-responses.ts")).toOpenAiResponses,
} satisfies Readonly<Record<string, () => Promise<ToPrompt>>>;

/** A wire that messages can be converted to. */
export type MessageWire = keyof typeof WIRES;

/** What the official client of a wire takes for a conversation. */
export type WirePrompt<Wire extends MessageWire> = ReturnType<Awaited<ReturnType<(typeof WIRES)[Wire]>>>;

export function isMessageWire(name: unknown): name is MessageWire {
  return typeof name === "string" && Object.hasOwn(WIRES, name);
}
