import { createModelRegistry, type ModelRegistry } from "../../core/models/registry.ts";
import type { Store } from "../../core/ports/store.ts";
import type { WireAdapter } from "../../core/ports/wire-adapter.ts";
import type { Engine } from "../../engine/engine.ts";
import type { StatsKeeper } from "../stats.ts";
import { OPENAPI_PATH } from "./build-app.ts";
import type { EventStreams } from "./events/event-streams.ts";
import type { GatewayMetrics } from "./metrics/gateway-metrics.ts";
import { METRICS_CONTENT_TYPE } from "./metrics/metrics-text.ts";
import { describeRoutes } from "./openapi.ts";
import { queryRoute, type Route } from "./route.ts";
import { changeRoutes } from "./routes/change-routes.ts";
import { diffRoute } from "./routes/diff-route.ts";
import { eventRoute } from "./routes/event-route.ts";
import { findingsRoute } from "./routes/findings-route.ts";
import { foldRoutes } from "./routes/fold-routes.ts";
import { gatewayRoutes } from "./routes/gateway-routes.ts";
import { importRoute } from "./routes/import-route.ts";
import { messageRoutes } from "./routes/message-routes.ts";
import { nowRoutes } from "./routes/now-routes.ts";
import { recallRoutes } from "./routes/recall-routes.ts";
import { requestRoutes } from "./routes/request-routes.ts";
import { rewindRoute } from "./routes/rewind-route.ts";
import { searchRoute } from "./routes/search-route.ts";
import { sessionRoutes } from "./routes/session-routes.ts";
import { statementRoutes } from "./routes/statement-routes.ts";
import { strataRoute } from "./routes/strata-route.ts";
import { wholeSessionRoutes } from "./routes/whole-session-routes.ts";
import type { ApiSessions } from "./sessions.ts";
import { fields } from "./shape.ts";

export interface ApiRoutesOptions {
  readonly engine: Engine;
  readonly store: Store;
  readonly stats: StatsKeeper;
  readonly sessions: ApiSessions;
  readonly streams: EventStreams;
  readonly metrics: GatewayMetrics;
  /** Whether the gateway keeps the files of agents. @default false */
  readonly hasFiles?: boolean | undefined;
  /** The adapters of the APIs that agents speak, which know where bodies have their messages. @default none */
  readonly adapters?: readonly WireAdapter[] | undefined;
  /** The prices and cache rules of models. @default those that this package knows */
  readonly registry?: ModelRegistry | undefined;
  readonly version: string;
  readonly uptimeMs: () => number;
}

/** Returns all routes of the API: the app registers them, and the OpenAPI document describes them. */
export function apiRoutes(options: ApiRoutesOptions): readonly Route[] {
  const { engine, store, sessions, streams, metrics, version, registry = createModelRegistry() } = options;
  const routes: readonly Route[] = [
    ...gatewayRoutes(options),
    ...sessionRoutes(options),
    ...messageRoutes(store, sessions),
    ...foldRoutes(sessions),
    ...requestRoutes(store, sessions),
    diffRoute({ store, sessions, adapters: options.adapters ?? [], registry }),
    strataRoute(sessions),
    ...nowRoutes(sessions, registry),
    findingsRoute({ store, sessions, registry }),
    ...wholeSessionRoutes({ store, sessions }),
    searchRoute(engine, sessions),
    ...statementRoutes(engine, sessions),
    ...changeRoutes(engine, sessions),
    importRoute(engine, sessions),
    rewindRoute({ sessions, hasFiles: options.hasFiles ?? false }),
    ...recallRoutes({ engine, store, sessions }),
    eventRoute(streams),
    metricsRoute(metrics),
    openapiRoute(() => describeRoutes(routes, version)),
  ];
  return routes;
}

function metricsRoute(metrics: GatewayMetrics): Route {
  return queryRoute({
    path: "/palimpsest/metrics",
    operationId: "getMetrics",
    summary: "Counters, histograms and gauges for Prometheus",
    query: fields({}),
    reply: {
      description: "The text format, version 0.0.4.",
      contentType: "text/plain",
      schema: { type: "string" },
    },
    answer: async () => new Response(await metrics.text(), { headers: { "content-type": METRICS_CONTENT_TYPE } }),
  });
}

function openapiRoute(describe: () => unknown): Route {
  return queryRoute({
    path: OPENAPI_PATH,
    operationId: "getOpenapi",
    summary: "This document",
    query: fields({}),
    reply: { description: "An OpenAPI 3.1 document.", schema: { type: "object" } },
    answer: () => Response.json(describe()),
  });
}
