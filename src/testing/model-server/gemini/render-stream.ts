import type { Answer } from "../answer.ts";
import type { JsonObject } from "../json.ts";
import { splitText } from "../split-text.ts";
import type { StreamParts, WireRequest } from "../wire-protocol.ts";
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

function asEvents(content: readonly JsonObject[], last: JsonObject): StreamParts {
  const event = (response: JsonObject) => `data: ${JSON.stringify(response)}\r\n\r\n`;
  return { content: content.map(event), end: [event(last)] };
}

function asJsonArray(content: readonly JsonObject[], last: JsonObject): StreamParts {
  return {
    content: ["[", ...content.map((response) => `${JSON.stringify(response)},\r\n`)],
    end: [`${JSON.stringify(last)}]`],
  };
}
