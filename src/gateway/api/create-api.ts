import type { IncomingMessage, ServerResponse } from "node:http";
import { getRequestListener, RequestError } from "@hono/node-server";
import type { ModelRegistry } from "../../core/models/registry.ts";
import type { Store } from "../../core/ports/store.ts";
import type { WireAdapter } from "../../core/ports/wire-adapter.ts";
import type { Engine } from "../../engine/engine.ts";
import type { ActivityFeed } from "../activity.ts";
import type { SessionFamilies } from "../match/session-family.ts";
import type { StatementKeeper } from "../statements.ts";
import type { StatsKeeper } from "../stats.ts";
import { apiRoutes } from "./api-routes.ts";
import { buildApp } from "./build-app.ts";
import { createEventStreams } from "./events/event-streams.ts";
import { createMcpEndpoint, MCP_PATH } from "./mcp-endpoint.ts";
import { countMetrics, type StoreState } from "./metrics/gateway-metrics.ts";
import { invalid } from "./read-body.ts";
import { INTERNAL, replyWith } from "./refusal.ts";
import type { Route } from "./route.ts";
import { createApiSessions } from "./sessions.ts";

export interface ApiOptions {
  /** The API opens its sessions and never closes them: others may have them open as well. */
  readonly engine: Engine;
  /** The engine's store. */
  readonly store: Store;
  readonly stats: StatsKeeper;
  readonly feed: ActivityFeed;
  /** What the sessions' statements sum up to. @default metrics tell nothing of them */
  readonly statements?: StatementKeeper | undefined;
  /** @default metrics tell nothing of the store */
  readonly storeState?: (() => StoreState) | undefined;
  /** Resolves when what agents have sent so far is in the sessions. @default at once */
  readonly written?: (() => Promise<void>) | undefined;
  /** Whether the files of agents are kept. @default false */
  readonly hasFiles?: boolean | undefined;
  /** The APIs that agents speak. @default none: it is not told in which message requests differ */
  readonly adapters?: readonly WireAdapter[] | undefined;
  /** What models cost. @default what this package knows */
  readonly registry?: ModelRegistry | undefined;
  /** Which sessions an agent's searches find together. @default each is searched alone */
  readonly families?: SessionFamilies | undefined;
  readonly version: string;
  readonly startedAt: number;
  /** Milliseconds since the epoch. @default Date.now */
  readonly now?: (() => number) | undefined;
}

/** Everything under `/palimpsest`. The server checks who may ask, before the API is called. */
export interface Api {
  fetch(request: Request): Promise<Response> | Response;
  readonly listener: (request: IncomingMessage, response: ServerResponse) => void;
  /** Ends the streams of events, and takes no new ones. */
  close(): void;
}

/** The JSON API, the events and the metrics of a gateway. */
export function createApi(options: ApiOptions): Api {
  const { engine, store, feed, startedAt, now = Date.now } = options;
  const uptimeMs = () => now() - startedAt;
  const streams = createEventStreams(feed, { startedAt });
  const metrics = countMetrics(feed, { uptimeMs, statements: options.statements, storeState: options.storeState });
  const sessions = createApiSessions({ engine, store, feed, now });
  const routes = apiRoutes({ ...options, sessions, streams, metrics, uptimeMs });
  const app = buildApp(afterWrites(routes, options.written), (what, error) =>
    feed.publish({ type: "incident", at: now(), what, error }),
  );
  const mcp = createMcpEndpoint({ ...options, sessions, now });
  app.all(MCP_PATH, ({ req }) => mcp.answer(req.raw));
  const listener = getRequestListener(app.fetch, {
    // The Request and Response of the whole process are not ours to replace.
    overrideGlobalObjects: false,
    errorHandler: (error) =>
      replyWith(error instanceof RequestError ? invalid("The address or the host of the request is none.") : INTERNAL),
  });
  return {
    fetch: (request) => app.fetch(request, {}),
    listener: (request, response) => void listener(request, response),
    close: () => {
      mcp.close();
      streams.close();
      metrics.close();
    },
  };
}

const OF_SESSIONS = /^\/palimpsest\/api\/(sessions|session-tree|search|recall|statement)\b/;

/** The routes of sessions wait until the requests so far are written: a client that has a reply finds its request in the session. */
function afterWrites(routes: readonly Route[], written: ApiOptions["written"]): readonly Route[] {
  if (written === undefined) return routes;
  return routes.map((route) => {
    if (!OF_SESSIONS.test(route.path)) return route;
    const run: Route["run"] = async (call) => {
      await written();
      return route.run(call);
    };
    return { ...route, run };
  });
}
