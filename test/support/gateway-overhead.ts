/** System prompts and tools of a wanted size, on every wire. */
import { countTextTokens } from "../../src/index.ts";
import { READ_FILE, type SdkClient, type SdkKind } from "./gateway-client.ts";
import type { KnownWire } from "./known-wires.ts";

interface Tool {
  readonly name: string;
  readonly description: string;
  readonly parameters: object;
}

interface Overhead {
  readonly systemPrompt: string;
  readonly tools: readonly Tool[];
}

/** What agents send beside the conversation is about so: a quarter of it describes tools. */
const TOOLS_SHARE = 0.25;
const TOOL_TOKENS = 400;
/** Agents ask for more than small windows have. */
const REPLY_TOKENS = 8_192;

/** Opens a client whose system prompt and tools take so many tokens by our count. */
export function openWithOverhead(kind: SdkKind, url: () => string, overheadTokens: number): SdkClient {
  const overhead = overheadOf(overheadTokens);
  const client = kind.open({ url, fields: overheadFields(kind.api, overhead) });
  if (kind.api === "openai-chat") client.history[0] = { role: "system", content: overhead.systemPrompt };
  return client;
}

function overheadOf(tokens: number): Overhead {
  const others = Array.from({ length: Math.floor((TOOLS_SHARE * tokens) / TOOL_TOKENS) }, (_, index) => ({
    name: `tool_${index}`,
    description: prose(`Tool ${index}`, TOOL_TOKENS),
    parameters: { type: "object", properties: { target: { type: "string" } }, required: ["target"] },
  }));
  const tools = [READ_FILE, ...others];
  const toolTokens = countTextTokens(JSON.stringify(tools));
  return { systemPrompt: prose("The agent", tokens - toolTokens), tools };
}

/** Sentences of which no two are the same, and none tells the model what to do for a person. */
function prose(subject: string, tokens: number): string {
  const sentences: string[] = [];
  for (let left = tokens, index = 0; left > 0; index++) {
    const sentence = `${subject} handles case ${index * 37} of the interface by its section ${(index * 101) % 997}.`;
    sentences.push(sentence);
    left -= countTextTokens(`${sentence}\n`);
  }
  return sentences.join("\n");
}

function overheadFields(api: KnownWire, { systemPrompt, tools }: Overhead): Readonly<Record<string, unknown>> {
  switch (api) {
    case "anthropic":
      return {
        system: [{ type: "text", text: systemPrompt }],
        tools: tools.map(({ parameters, ...named }) => ({ ...named, input_schema: parameters })),
        max_tokens: REPLY_TOKENS,
      };
    case "openai-chat":
      return { tools: tools.map((tool) => ({ type: "function", function: tool })) };
    case "openai-responses":
      return { instructions: systemPrompt, tools: tools.map((tool) => ({ type: "function", strict: false, ...tool })) };
    case "gemini": {
      const declared = tools.map(({ parameters, ...named }) => ({ ...named, parametersJsonSchema: parameters }));
      return { systemInstruction: systemPrompt, tools: [{ functionDeclarations: declared }] };
    }
  }
}
