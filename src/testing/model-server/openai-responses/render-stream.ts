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
  const opening = openingOf(renderResponse(answer.serial, request));
  const content = [...items.flatMap(({ content: said, end }) => [...said, ...end]), ...(last?.content ?? [])];
  const end = [...(last?.end ?? []), { type: "response.completed", response: renderReply(answer, request) }];
  return {
    opening: written(opening, 0),
    content: written(content, opening.length),
    end: written(end, opening.length + content.length),
  };
}

/** Comes after the opening. */
export function renderFailure({ code = "server_error", message }: Refusal, request: WireRequest): readonly string[] {
  const response = renderResponse(0, request);
  const failed = { type: "response.failed", response: { ...response, status: "failed", error: { code, message } } };
  return written([failed], openingOf(response).length);
}

function openingOf(response: JsonObject): readonly StreamEvent[] {
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
