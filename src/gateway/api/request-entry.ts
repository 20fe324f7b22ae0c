import { describeDecision } from "../../core/requests/describe-decision.ts";
import { type KeptBody, type RequestRecord, reportedPrompt } from "../../core/statement/request-record.ts";
import type { SessionEvent } from "../../engine/session/report.ts";
import { notFound } from "./route.ts";

export type RequestEvent = Extract<SessionEvent, { readonly type: "request" }>;

/** Returns the requests among a session's events, the oldest first. */
export function requestsIn(events: readonly SessionEvent[]): readonly RequestEvent[] {
  return events.filter((event) => event.type === "request");
}

/** Returns a request as the API shows it. `shownFoldIds` names the folds whose stand-ins were in it. */
export function requestEntry(request: RequestEvent, index: number, shownFoldIds: readonly string[] = []) {
  const { type: _, body, decision, ...record } = request;
  return {
    index,
    ...record,
    shownFoldIds,
    decision: { ...decision, sentence: describeDecision(request) },
    cachedShare: cachedShare(request),
    body:
      body === undefined
        ? { isKept: false, reason: NOT_KEPT }
        : { isKept: true, bytes: body.bytes, wire: body.wire, isAsItCame: body.isAsItCame },
  };
}

const NOT_KEPT =
  "What was sent is not kept: that was switched off (--keep-requests off), or the request was recorded by an earlier version, or by a program that did not say what it sent.";

function cachedShare({ usage }: RequestRecord): number | undefined {
  const promptTokens = reportedPrompt(usage);
  return promptTokens === undefined ? undefined : (usage?.cacheReadTokens ?? 0) / promptTokens;
}

/** Returns the request at an index that was read in a path. Throws a `Refusal` if there is none. */
export function requestAt(requests: readonly RequestEvent[], index: string): RequestEvent {
  const request = /^\d{1,15}$/.test(index) ? requests[Number(index)] : undefined;
  if (request !== undefined) return request;
  throw notFound(
    `The session has no request ${JSON.stringify(index)}; it has ${requests.length}, counted from 0. Its requests list names them.`,
  );
}

/** Returns where the body of a request is kept. Throws a `Refusal` if it is not kept. */
export function keptBodyOf({ body }: RequestEvent): KeptBody {
  if (body !== undefined) return body;
  throw notFound(NOT_KEPT);
}
