import { setTimeout } from "node:timers/promises";
import type { Store } from "../../../core/ports/store.ts";
import type { StatsKeeper } from "../../stats.ts";
import type { EventStreams } from "../events/event-streams.ts";
import { DEFAULT_LIMIT, limitMember } from "../page.ts";
import { queryRoute, type Route } from "../route.ts";
import { listOf, record, ref } from "../schemas/schema-parts.ts";
import { fields, optional, text } from "../shape.ts";

export interface GatewayRoutesOptions {
  readonly store: Store;
  readonly stats: StatsKeeper;
  readonly streams: EventStreams;
  readonly version: string;
  readonly uptimeMs: () => number;
}

/** No session has this name. */
const PROBED_ID = "palimpsest-probe";

/** A store that takes longer counts as unreachable. */
const STORE_TIMEOUT_MS = 2_000;

/** Health, statistics and the newest requests. */
export function gatewayRoutes(options: GatewayRoutesOptions): readonly Route[] {
  return [healthRoute(options), statsRoute(options), requestsRoute(options)];
}

function healthRoute({ store, version, uptimeMs }: GatewayRoutesOptions): Route {
  return queryRoute({
    path: "/palimpsest/api/health",
    operationId: "getHealth",
    summary: "Whether the gateway and its store work",
    query: fields({}),
    reply: { description: "Both work.", schema: ref("Health") },
    otherReplies: { 503: { description: "The store cannot be asked.", schema: ref("Health") } },
    answer: async () => {
      const isReachable = await canBeAsked(store);
      const works = { status: "ok", version, uptimeMs: uptimeMs(), store: "ok" };
      if (isReachable) return Response.json(works);
      return Response.json({ ...works, status: "degraded", store: "unreachable" }, { status: 503 });
    },
  });
}

function statsRoute({ stats, streams, version, uptimeMs }: GatewayRoutesOptions): Route {
  return queryRoute({
    path: "/palimpsest/api/stats",
    operationId: "getStats",
    summary: "Sums since the gateway was started",
    query: fields({}),
    reply: { description: "The sums.", schema: ref("Stats") },
    answer: () => {
      const total = stats.total();
      return Response.json({
        ...total,
        version,
        uptimeMs: uptimeMs(),
        savedTokens: total.tokensIn - total.tokensSent,
        eventStreams: streams.count(),
        residentMemoryBytes: process.memoryUsage.rss(),
      });
    },
  });
}

function requestsRoute({ stats }: GatewayRoutesOptions): Route {
  return queryRoute({
    path: "/palimpsest/api/requests",
    operationId: "listRequests",
    summary: "The newest requests, the newest first",
    description: "The gateway remembers some thousand of them, and forgets them when it ends.",
    query: fields({
      session: optional(text({ description: "Only those of this session.", maxLength: 512 })),
      limit: limitMember("The most requests."),
    }),
    reply: { description: "The requests.", schema: record({ requests: listOf(ref("RequestActivity")) }) },
    answer: ({ session, limit = DEFAULT_LIMIT }) =>
      Response.json({ requests: stats.recent(session).toReversed().slice(0, limit) }),
  });
}

async function canBeAsked(store: Store): Promise<boolean> {
  const timeout = new AbortController();
  const tooLate = setTimeout(STORE_TIMEOUT_MS, false, { signal: timeout.signal }).catch(() => false);
  // looks up one id, because listing would sort all sessions at each health check
  const asked = store.find(PROBED_ID).then(
    () => true,
    () => false,
  );
  try {
    return await Promise.race([asked, tooLate]);
  } finally {
    timeout.abort();
  }
}
