import type { Store } from "../../../core/ports/store.ts";
import type { KeptBody } from "../../../core/statement/request-record.ts";
import { type BodyPlace, type ByteRange, readBody } from "../../../engine/session/requests/read-body.ts";
import { strataOf } from "../../../engine/session/requests/session-strata.ts";
import { pageMembers, pageOf } from "../page.ts";
import { keptBodyOf, requestAt, requestEntry, requestsIn } from "../request-entry.ts";
import { queryRoute, type Route } from "../route.ts";
import { ref } from "../schemas/schema-parts.ts";
import type { ApiSessions } from "../sessions.ts";
import { fields, optional, wholeNumber } from "../shape.ts";

const PATH = "/palimpsest/api/sessions/{id}/requests";

/** Routes of a session's requests: what each consisted of, why it was folded or not, and its body as it was sent, byte for byte. */
export function requestRoutes(store: Store, sessions: ApiSessions): readonly Route[] {
  return [requestsRoute(sessions), requestRoute(sessions), bodyRoute(store, sessions)];
}

function requestsRoute(sessions: ApiSessions): Route {
  return queryRoute({
    path: PATH,
    operationId: "listSessionRequests",
    summary: "The requests of a session that were answered, the oldest first",
    query: fields(pageMembers),
    reply: { description: "A page of requests.", schema: ref("RequestPage") },
    answer: async (query, call) => {
      const { session } = await sessions.open(call.param("id"));
      const requests = requestsIn(await session.events());
      const { shownFoldIds } = await strataOf(session);
      const page = pageOf(requests, query, (request, at) => requestEntry(request, at, shownFoldIds[at]));
      return Response.json({ requests: page.entries, total: page.total, nextAfter: page.nextAfter });
    },
  });
}

function requestRoute(sessions: ApiSessions): Route {
  return queryRoute({
    path: `${PATH}/{index}`,
    operationId: "getSessionRequest",
    summary: "One request of a session",
    query: fields({}),
    reply: { description: "The request.", schema: ref("Request") },
    answer: async (_, call) => {
      const { session } = await sessions.open(call.param("id"));
      const index = call.param("index");
      const request = requestAt(requestsIn(await session.events()), index);
      const { shownFoldIds } = await strataOf(session);
      return Response.json(requestEntry(request, Number(index), shownFoldIds[Number(index)]));
    },
  });
}

const rangeMembers = {
  from: optional(wholeNumber({ description: "The first byte.", least: 0, most: Number.MAX_SAFE_INTEGER, fallback: 0 })),
  bytes: optional(wholeNumber({ description: "The most bytes.", least: 0, most: Number.MAX_SAFE_INTEGER })),
};

function bodyRoute(store: Store, sessions: ApiSessions): Route {
  return queryRoute({
    path: `${PATH}/{index}/body`,
    operationId: "getSessionRequestBody",
    summary: "The body of a request as it went to the provider, byte for byte",
    description:
      "Headers are never kept. Part of it is named by `from` and `bytes`; the header x-palimpsest-bytes says how long the whole is, and x-palimpsest-wire which API it is for.",
    query: fields(rangeMembers),
    reply: { description: "The body, or the part.", contentType: "text/plain", schema: { type: "string" } },
    answer: async ({ from, bytes: length }, call) => {
      const { stored, session } = await sessions.open(call.param("id"));
      const body = keptBodyOf(requestAt(requestsIn(await session.events()), call.param("index")));
      return textReply(body, await openBody({ store, sessionKey: stored.key }, body, { from, length }));
    },
  });
}

function textReply({ wire, bytes }: KeptBody, content: ReadableStream<Uint8Array>): Response {
  const headers = {
    "content-type": "text/plain; charset=utf-8",
    "x-palimpsest-bytes": String(bytes),
    "x-palimpsest-wire": wire,
  };
  return new Response(content, { headers });
}

/** Opens the body as a stream. The first piece is read at once, so that a missing body is refused and does not break off a reply. */
async function openBody(place: BodyPlace, body: KeptBody, range: ByteRange): Promise<ReadableStream<Uint8Array>> {
  const pieces = readBody(place, body, range);
  let next = await pieces.next();
  return new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      if (next.done === true) return controller.close();
      controller.enqueue(next.value);
      next = await pieces.next();
    },
    cancel: async () => {
      await pieces.return(undefined);
    },
  });
}
