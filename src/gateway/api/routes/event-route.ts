import type { EventStreams } from "../events/event-streams.ts";
import { Refusal } from "../refusal.ts";
import { queryRoute, type Route } from "../route.ts";
import { fields, optional, text } from "../shape.ts";

const HEADERS = {
  "content-type": "text/event-stream",
  // asks reverse proxies, such as nginx, not to buffer events
  "x-accel-buffering": "no",
};

/** The stream of activities. */
export function eventRoute(streams: EventStreams): Route {
  return queryRoute({
    path: "/palimpsest/api/events",
    operationId: "followEvents",
    summary: "What happens, as Server-Sent Events",
    description:
      "`event` is request, session or incident; `data` is an Activity as JSON; `id` increases. With the header Last-Event-ID it begins with what came after that event, as far as the last 1,000 are remembered. A comment every 15 seconds keeps the connection alive; a client that reads too slowly is disconnected.",
    query: fields({
      session: optional(text({ description: "Only what happens in this session.", maxLength: 512 })),
    }),
    reply: {
      description: "A stream that does not end; `data` of each event is an Activity.",
      contentType: "text/event-stream",
      schema: { type: "string" },
    },
    answer: ({ session }, { request, outgoing }) => {
      // Without a stream, because a client of HEAD would never read or cancel it.
      if (request.method === "HEAD") return new Response(null, { headers: HEADERS });
      const stream = streams.open({
        sessionId: session,
        lastEventId: readEventId(request.headers.get("last-event-id")),
        disconnect: outgoing && (() => outgoing.destroy()),
      });
      if (stream === undefined) throw tooMany();
      return new Response(stream, { headers: HEADERS });
    },
  });
}

function readEventId(header: string | null): number | undefined {
  return header !== null && /^\d{1,16}$/.test(header) ? Number(header) : undefined;
}

function tooMany(): Refusal {
  return new Refusal(503, {
    code: "unavailable",
    message: "Too many clients follow events, or the gateway is ending. Try again later.",
    headers: { "retry-after": "5" },
  });
}
