import OpenAI from "openai";
import {
  API_KEY,
  type ClientOptions,
  READ_FILE,
  type SdkClient,
  type SdkKind,
  SYSTEM_PROMPT,
} from "./gateway-client.ts";

type ChatMessage = OpenAI.ChatCompletionMessageParam;
type ChatCall = OpenAI.ChatCompletionMessageFunctionToolCall;

export const chatKind: SdkKind = {
  name: "openai chat",
  api: "openai-chat",
  wire: "openai",
  field: "messages",
  open: openChat,
};

export function openaiClient({ url, headers = {} }: ClientOptions): OpenAI {
  return new OpenAI({
    baseURL: `${url()}/v1`,
    apiKey: API_KEY,
    defaultHeaders: headers,
    maxRetries: 0,
    logLevel: "off",
  });
}

export function openChat(options: ClientOptions): SdkClient {
  const { model = "gpt-4.1", fields = {} } = options;
  const history: ChatMessage[] = [{ role: "system", content: SYSTEM_PROMPT }];
  let callIds: readonly string[] = [];
  return {
    history,
    say: (text) => void history.push({ role: "user", content: text }),
    async ask(isStreaming, signal) {
      const client = openaiClient(options);
      const tools: OpenAI.ChatCompletionTool[] = [{ type: "function", function: READ_FILE }];
      const request = { model, tools, messages: history, ...fields };
      const asked = signal === undefined ? {} : { signal };
      const { message, headers } = isStreaming
        ? await streamed(client, request, asked)
        : await whole(client, request, asked);
      history.push(message);
      callIds = message.tool_calls?.map(({ id }) => id) ?? [];
      return { text: typeof message.content === "string" ? message.content : "", callCount: callIds.length, headers };
    },
    giveOutputs: (outputs) => {
      for (const [index, id] of callIds.entries()) {
        history.push({ role: "tool", tool_call_id: id, content: outputs[index] ?? "" });
      }
    },
  };
}

type ChatRequest = Omit<OpenAI.ChatCompletionCreateParamsNonStreaming, "stream">;

async function whole(client: OpenAI, request: ChatRequest, asked: OpenAI.RequestOptions) {
  const { data, response } = await client.chat.completions.create(request, asked).withResponse();
  const said = data.choices[0]?.message;
  if (said === undefined) throw new Error("the reply has no choice");
  return { message: messageOf(said), headers: response.headers };
}

async function streamed(client: OpenAI, request: ChatRequest, asked: OpenAI.RequestOptions) {
  const stream_options = { include_usage: true };
  const created = client.chat.completions.create({ ...request, stream: true, stream_options }, asked);
  const { data, response } = await created.withResponse();
  let content = "";
  let finish: string | null = null;
  const calls: ChatCall[] = [];
  for await (const { choices } of data) {
    const { delta, finish_reason = null } = choices[0] ?? {};
    content += delta?.content ?? "";
    finish = finish_reason ?? finish;
    for (const piece of delta?.tool_calls ?? []) addPiece(calls, piece);
  }
  if (finish === null) throw new Error("the stream ended without a reason");
  return { message: messageOf({ content, tool_calls: calls }), headers: response.headers };
}

function addPiece(calls: ChatCall[], piece: OpenAI.ChatCompletionChunk.Choice.Delta.ToolCall): void {
  const call = calls[piece.index] ?? { id: "", type: "function", function: { name: "", arguments: "" } };
  calls[piece.index] = {
    ...call,
    id: piece.id ?? call.id,
    function: {
      name: call.function.name + (piece.function?.name ?? ""),
      arguments: call.function.arguments + (piece.function?.arguments ?? ""),
    },
  };
}

function messageOf({
  content,
  tool_calls: calls = [],
}: Pick<OpenAI.ChatCompletionMessage, "content" | "tool_calls">): OpenAI.ChatCompletionAssistantMessageParam {
  return { role: "assistant", content, ...(calls.length === 0 ? {} : { tool_calls: calls }) };
}
