import type OpenAI from "openai";
import { openaiClient } from "./gateway-chat-client.ts";
import { type ClientOptions, READ_FILE, type SdkClient, type SdkKind, SYSTEM_PROMPT } from "./gateway-client.ts";

type Item = OpenAI.Responses.ResponseInputItem;

export const responsesKind: SdkKind = {
  name: "openai responses",
  api: "openai-responses",
  wire: "openai-responses",
  field: "input",
  open: openResponses,
};

export function openResponses(options: ClientOptions): SdkClient {
  const { model = "gpt-5.1", fields = {} } = options;
  const history: Item[] = [];
  let callIds: readonly string[] = [];
  return {
    history,
    say: (text) => void history.push({ role: "user", content: text }),
    async ask(isStreaming, signal) {
      const client = openaiClient(options);
      const request = {
        model,
        instructions: SYSTEM_PROMPT,
        store: false,
        include: ["reasoning.encrypted_content" as const],
        tools: [{ type: "function" as const, strict: false, ...READ_FILE }],
        input: history,
        ...fields,
      };
      const asked = signal === undefined ? {} : { signal };
      const { data, response } = isStreaming
        ? await streamed(client, request, asked)
        : await client.responses.create(request, asked).withResponse();
      history.push(...data.output.filter(isKept));
      callIds = data.output.flatMap((item) => (item.type === "function_call" ? [item.call_id] : []));
      const texts = data.output.flatMap((item) => (item.type === "message" ? item.content : []));
      const text = texts.map((part) => (part.type === "output_text" ? part.text : "")).join("");
      return { text, callCount: callIds.length, headers: response.headers };
    },
    giveOutputs: (outputs) => {
      for (const [index, id] of callIds.entries()) {
        history.push({ type: "function_call_output", call_id: id, output: outputs[index] ?? "" });
      }
    },
  };
}

async function streamed(
  client: OpenAI,
  request: OpenAI.Responses.ResponseCreateParamsNonStreaming,
  asked: OpenAI.RequestOptions,
) {
  const { data, response } = await client.responses.create({ ...request, stream: true }, asked).withResponse();
  let ended: OpenAI.Responses.Response | undefined;
  for await (const event of data) {
    if (event.type === "response.failed") throw new Error(`failed: ${event.response.error?.message}`);
    if (event.type === "response.completed") ended = event.response;
  }
  if (ended === undefined) throw new Error("the stream ended without a response");
  return { data: ended, response };
}

/** What these tests make the model say, and all of it is sent back. */
function isKept(
  item: OpenAI.Responses.ResponseOutputItem,
): item is
  | OpenAI.Responses.ResponseOutputMessage
  | OpenAI.Responses.ResponseFunctionToolCall
  | OpenAI.Responses.ResponseReasoningItem {
  return item.type === "message" || item.type === "function_call" || item.type === "reasoning";
}
