import { type Answer, argumentsOf } from "../answer.ts";
import { isJsonObject, type JsonObject } from "../json.ts";
import { splitText } from "../split-text.ts";
import type { StreamParts, WireRequest } from "../wire-protocol.ts";
import { finishReasonOf, type RenderUsage, renderEnvelope, renderUsage } from "./render-reply.ts";

export function renderStream(answer: Answer, request: WireRequest, usage: RenderUsage = renderUsage): StreamParts {
  const options = request.body.stream_options;
  const includesUsage = isJsonObject(options) && options.include_usage === true;
  const envelope = { ...renderEnvelope(answer, request), object: "chat.completion.chunk" };
  const chunk = (delta: JsonObject, finishReason: string | null) =>
    event({
      ...envelope,
      choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }],
      ...(includesUsage ? { usage: null } : {}),
    });
  return {
    opening: [chunk({ role: "assistant", content: "" }, null)],
    content: deltasOf(answer).map((delta) => chunk(delta, null)),
    end: [
      chunk({}, finishReasonOf(answer)),
      ...(includesUsage ? [event({ ...envelope, choices: [], usage: usage(answer) })] : []),
      "data: [DONE]\n\n",
    ],
  };
}

function deltasOf({ text, reasoning = "", calls }: Answer): readonly JsonObject[] {
  return [
    ...splitText(reasoning).map((piece) => ({ reasoning_content: piece })),
    ...splitText(text).map((content) => ({ content })),
    ...calls.flatMap((call, index) => [
      { tool_calls: [{ index, id: call.id, type: "function", function: { name: call.name, arguments: "" } }] },
      ...splitText(argumentsOf(call)).map((piece) => ({ tool_calls: [{ index, function: { arguments: piece } }] })),
    ]),
  ];
}

/** As servers behind a proxy do it, which has sent its comments already: the provider itself refuses before it streams. */
export function renderFailure(error: JsonObject): readonly string[] {
  return [event(error)];
}

function event(data: JsonObject): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}
