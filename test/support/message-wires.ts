/** Every wire of `session.prepare({ as })`: its converters, and its official client against the scripted server. */
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import { ChatAnthropic } from "@langchain/anthropic";
import { OpenAI } from "openai";
import type { Message } from "../../src/core/message/message.ts";
import {
  fromAiSdk,
  fromAnthropic,
  fromGemini,
  fromLangChain,
  fromOpenAiChat,
  fromOpenAiResponses,
  toAiSdk,
  toAnthropic,
  toGemini,
  toLangChain,
  toOpenAiChat,
  toOpenAiResponses,
} from "../../src/messages/index.ts";
import type { MessageWire, WirePrompt } from "../../src/messages/wires.ts";
import type { ModelServer } from "../../src/testing/index.ts";
import { sendWithAiSdk } from "./ai-sdk-clients.ts";

/** One wire. A wire that is registered and not here does not compile. */
export interface WireUnderTest<Prompt> {
  to(messages: readonly Message[]): Prompt;
  /** Of what `to` gave: the whole list. */
  from(prompt: Prompt): readonly Message[];
  /** The name of a model with this window, as this wire's server takes it. */
  modelOf(contextWindow: number): string;
  /** Rejected where the server refuses it. */
  send(server: ModelServer, modelId: string, prompt: Prompt): Promise<unknown>;
}

/** Any tool will do: requests with calls must declare one. */
const TOOL = "read_file";

export const MESSAGE_WIRES: { readonly [Wire in MessageWire]: WireUnderTest<WirePrompt<Wire>> } = {
  "ai-sdk": {
    to: toAiSdk,
    from: ({ messages }) => fromAiSdk(messages),
    modelOf: (contextWindow) => `any-w${contextWindow}`,
    send: (server, model, prompt) => sendWithAiSdk(server, windowOf(model), prompt),
  },
  anthropic: {
    to: toAnthropic,
    from: ({ messages }) => fromAnthropic(messages),
    modelOf: (contextWindow) => `claude-w${contextWindow}`,
    send: ({ url }, model, prompt) => {
      const client = anthropicClient(url);
      const tools: Anthropic.Tool[] = [{ name: TOOL, input_schema: { type: "object" } }];
      const asked = { model, max_tokens: 100, tools, ...prompt };
      // A compaction can be sent back only with the beta that made it.
      return JSON.stringify(prompt).includes('"type":"compaction"')
        ? client.beta.messages.create({ ...asked, betas: ["compact-2026-09-04"] })
        : client.messages.create(asked);
    },
  },
  gemini: {
    to: toGemini,
    from: ({ contents }) => fromGemini(contents),
    modelOf: (contextWindow) => `gemini-3-w${contextWindow}`,
    send: ({ url }, model, prompt) => {
      const client = new GoogleGenAI({ apiKey: "key", httpOptions: { baseUrl: url } });
      const tools = [{ functionDeclarations: [{ name: TOOL }] }];
      return client.models.generateContent({ model, ...prompt, config: { ...prompt.config, tools } });
    },
  },
  langchain: {
    to: toLangChain,
    from: ({ messages }) => fromLangChain(messages),
    modelOf: (contextWindow) => `claude-w${contextWindow}`,
    send: ({ url }, model, { messages }) => {
      const client = new ChatAnthropic({ model, anthropicApiUrl: url, apiKey: "key", maxRetries: 0, maxTokens: 100 });
      return client.bindTools([{ name: TOOL, input_schema: { type: "object" } }]).invoke(messages);
    },
  },
  "openai-chat": {
    to: toOpenAiChat,
    from: ({ messages }) => fromOpenAiChat(messages),
    modelOf: (contextWindow) => `gpt-w${contextWindow}`,
    send: ({ baseUrls }, model, prompt) => {
      const client = new OpenAI({ baseURL: baseUrls.openai, apiKey: "key", maxRetries: 0, logLevel: "off" });
      const tools: OpenAI.Chat.ChatCompletionTool[] = [{ type: "function", function: { name: TOOL } }];
      return client.chat.completions.create({ model, tools, ...prompt });
    },
  },
  "openai-responses": {
    to: toOpenAiResponses,
    from: ({ input }) => fromOpenAiResponses(input),
    modelOf: (contextWindow) => `gpt-w${contextWindow}`,
    send: (server, model, prompt) => {
      const client = openAiClient(server);
      const tools: OpenAI.Responses.Tool[] = [{ type: "function", name: TOOL, parameters: {}, strict: false }];
      return client.responses.create({ model, store: false, tools, ...prompt });
    },
  },
};

export function anthropicClient(baseURL: string): Anthropic {
  return new Anthropic({ baseURL, apiKey: "key", maxRetries: 0, logLevel: "off" });
}

/** A client for Responses. */
export function openAiClient({ baseUrls }: ModelServer): OpenAI {
  return new OpenAI({ baseURL: baseUrls["openai-responses"], apiKey: "key", maxRetries: 0, logLevel: "off" });
}

/** The window that such a name names. */
export function windowOf(modelId: string): number {
  return Number(/-w(\d+)$/.exec(modelId)?.[1]);
}
