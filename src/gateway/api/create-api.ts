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
  /** The API opens sessions of the engine and never closes them, because requests of agents may be using them. */
  readonly engine: Engine;
  /** The engine's store. */
  readonly store: Store;
  readonly stats: StatsKeeper;
  readonly feed: ActivityFeed;
  /** Keeps the sums of the sessions' statements. @default the metrics do not have them */
  readonly statements?: StatementKeeper | undefined;
  /** @default the metrics of the store are left out */
  readonly storeState?: (() => StoreState) | undefined;
  /** Resolves when all requests so far are written to their sessions. @default at once */
  readonly written?: (() => Promise<void>) | undefined;
  /** Whether the gateway keeps the files of agents. @default false */
  readonly hasFiles?: boolean | undefined;
  /** The adapters of the APIs that agents speak. @default none: the diff does not name the message in which requests differ */
  readonly adapters?: readonly WireAdapter[] | undefined;
  /** The prices and cache rules of models. @default those that this package knows */
  readonly registry?: ModelRegistry | undefined;
  /** Groups the sessions that an agent's search covers together. @default each session is searched alone */
  readonly families?: SessionFamilies | undefined;
  readonly version: string;
  readonly startedAt: number;
  /** Milliseconds since the epoch. @default Date.now */
  readonly now?: (() => number) | undefined;
}

/** Answers everything under `/palimpsest` except the dashboard's files. It expects requests that the server's guard has let pass. */
export interface Api {
  fetch(request: Request): Promise<Response> | Response;
  readonly listener: (request: IncomingMessage, response: ServerResponse) => void;
  /** Ends the event streams and the MCP endpoint, and refuses new streams. */
  close(): void;
}

/** Creates the JSON API of a gateway, with its event streams, metrics and MCP endpoint. */
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
    // The process may be another program's: its global Request and Response must stay.
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

const SESSION_PATHS = /^\/palimpsest\/api\/(sessions|session-tree|search|recall|statement)\b/;

/** Has the routes of sessions wait until all requests so far are written, so that a client that has a reply finds its request in the session. */
function afterWrites(routes: readonly Route[], written: ApiOptions["written"]): readonly Route[] {
  if (written === undefined) return routes;
  return routes.map((route) => {
    if (!SESSION_PATHS.test(route.path)) return route;
    const run: Route["run"] = async (call) => {
      await written();
      return route.run(call);
    };
    return { ...route, run };
  });
}
