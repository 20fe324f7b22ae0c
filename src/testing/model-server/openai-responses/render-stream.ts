import type { Answer } from "../answer.ts";
import type { JsonObject } from "../json.ts";
import type { Refusal, StreamParts, WireRequest } from "../wire-protocol.ts";
import { type ItemEvents, renderItemEvents, type StreamEvent } from "./render-item-events.ts";
import { renderItems } from "./render-items.ts";
import { renderReply, renderResponse } from "./render-reply.ts";

export function renderStream(answer: Answer, request: WireRequest): StreamParts {
  const items = renderItems(answer, request).map(renderItemEvents);
  // a fault in mid-stream leaves the last item open
  const last: ItemEvents | undefined = items.pop();
  const content = [
    ...opening(renderResponse(answer.serial, request)),
    ...items.flatMap(({ content: said, end }) => [...said, ...end]),
    ...(last?.content ?? []),
  ];
  const end = [...(last?.end ?? []), { type: "response.completed", response: renderReply(answer, request) }];
  return { content: written(content, 0), end: written(end, content.length) };
}

/** A prompt above the window is found out only when the stream has begun. */
export function renderRefusedStream(refusal: Refusal, request: WireRequest): readonly string[] | undefined {
  if (refusal.code !== "context_length_exceeded") return undefined;
  const response = renderResponse(0, request);
  const error = { code: refusal.code, message: refusal.message };
  const failed = { type: "response.failed", response: { ...response, status: "failed", error } };
  return written([...opening(response), failed], 0);
}

function opening(response: JsonObject): readonly StreamEvent[] {
  return [
    { type: "response.created", response },
    { type: "response.in_progress", response },
  ];
}

function written(events: readonly StreamEvent[], firstNumber: number): readonly string[] {
  return events.map(({ type, ...fields }, index) => {
    const data = { type, sequence_number: firstNumber + index, ...fields };
    return `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
  });
}
