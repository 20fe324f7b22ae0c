import Anthropic from "@anthropic-ai/sdk";
import {
  API_KEY,
  type ClientOptions,
  READ_FILE,
  type SdkClient,
  type SdkKind,
  SYSTEM_PROMPT,
} from "./gateway-client.ts";

export interface AnthropicClientOptions extends ClientOptions {
  /** Marks the system prompt and the newest message for the cache, as Claude Code does. @default false */
  readonly isMarked?: boolean;
}

export const anthropicKind: SdkKind = {
  name: "@anthropic-ai/sdk",
  api: "anthropic",
  wire: "anthropic",
  field: "messages",
  open: openAnthropic,
};

const MARK = { cache_control: { type: "ephemeral" as const } };

export function openAnthropic(options: AnthropicClientOptions): SdkClient {
  const { url, headers = {}, model = "claude-haiku-4-5", fields = {}, isMarked = false } = options;
  const history: Anthropic.MessageParam[] = [];
  const tools: Anthropic.Tool[] = [
    { name: READ_FILE.name, description: READ_FILE.description, input_schema: READ_FILE.parameters },
  ];
  let callIds: readonly string[] = [];
  return {
    history,
    say: (text) => void history.push({ role: "user", content: text }),
    async ask(isStreaming, signal) {
      const client = anthropicClient({ url, headers });
      const request = {
        model,
        max_tokens: 2_000,
        system: [{ type: "text" as const, text: SYSTEM_PROMPT, ...(isMarked ? MARK : {}) }],
        tools,
        messages: isMarked ? withMarks(history) : history,
        ...fields,
      };
      const asked = signal === undefined ? {} : { signal };
      const { data, response } = isStreaming
        ? await streamed(client, request, asked)
        : await client.messages.create(request, asked).withResponse();
      history.push({ role: "assistant", content: data.content });
      callIds = data.content.flatMap((block) => (block.type === "tool_use" ? [block.id] : []));
      const text = data.content.map((block) => (block.type === "text" ? block.text : "")).join("");
      return { text, callCount: callIds.length, headers: response.headers };
    },
    giveOutputs: (outputs) =>
      void history.push({
        role: "user",
        content: callIds.map((id, index) => ({
          type: "tool_result" as const,
          tool_use_id: id,
          content: outputs[index] ?? "",
        })),
      }),
  };
}

export function anthropicClient({ url, headers = {} }: ClientOptions): Anthropic {
  return new Anthropic({
    baseURL: url(),
    apiKey: API_KEY,
    defaultHeaders: headers,
    maxRetries: 0,
    logLevel: "off",
  });
}

async function streamed(client: Anthropic, request: Anthropic.MessageStreamParams, asked: Anthropic.RequestOptions) {
  const stream = client.messages.stream(request, asked);
  const { response } = await stream.withResponse();
  return { data: await stream.finalMessage(), response };
}

/** The mark moves to the newest message, which is then a list of blocks where it was a string before. */
function withMarks(history: readonly Anthropic.MessageParam[]): Anthropic.MessageParam[] {
  return history.map((message, index) => {
    if (index < history.length - 1 || message.role !== "user") return message;
    const blocks =
      typeof message.content === "string" ? [{ type: "text" as const, text: message.content }] : message.content;
    return { ...message, content: blocks.map((block, at) => (at < blocks.length - 1 ? block : marked(block))) };
  });
}

function marked(block: Anthropic.ContentBlockParam): Anthropic.ContentBlockParam {
  return block.type === "text" || block.type === "tool_result" ? { ...block, ...MARK } : block;
}
