import type { Answer } from "../answer.ts";
import type { JsonObject } from "../json.ts";
import { splitText } from "../split-text.ts";
import type { Refusal, StreamParts, WireRequest } from "../wire-protocol.ts";
import { renderError } from "./render-error.ts";
import { renderCalls, renderResponse } from "./render-reply.ts";

export function renderStream(answer: Answer, request: WireRequest): StreamParts {
  const pieces: readonly JsonObject[] = [
    ...splitText(answer.reasoning ?? "").map((text) => ({ text, thought: true })),
    ...splitText(answer.text).map((text) => ({ text })),
    ...renderCalls(answer, request),
  ];
  const content = pieces.map((part) => renderResponse(answer, request, { parts: [part], isLast: false }));
  const last = renderResponse(answer, request, { parts: [{ text: "" }], isLast: true });
  return request.framing === "events" ? asEvents(content, last) : asJsonArray(content, last);
}

/** As servers behind a proxy do it: the provider itself refuses before it streams. */
export function renderFailure(refusal: Refusal, { framing }: WireRequest): readonly string[] {
  const error = renderError(refusal);
  return [framing === "events" ? event(error) : `${JSON.stringify(error)}]`];
}

/** A stream of events opens with its head alone. */
function asEvents(content: readonly JsonObject[], last: JsonObject): StreamParts {
  return { opening: [], content: content.map(event), end: [event(last)] };
}

function event(response: JsonObject): string {
  return `data: ${JSON.stringify(response)}\r\n\r\n`;
}

function asJsonArray(content: readonly JsonObject[], last: JsonObject): StreamParts {
  return {
    opening: ["["],
    content: content.map((response) => `${JSON.stringify(response)},\r\n`),
    end: [`${JSON.stringify(last)}]`],
  };
}
