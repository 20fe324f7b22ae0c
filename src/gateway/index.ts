/** A server that any agent can use by changing a base URL: it keeps conversations inside the window and never loses a byte. */

export { WIRE_ADAPTERS } from "../adapters/index.ts";
export { createAdapter, type WireDescription } from "../adapters/splice/index.ts";
export type { WireAdapter } from "../core/ports/wire-adapter.ts";
export type { Activity, ActivityFeed, RequestActivity, SessionChange } from "./activity.ts";
export type { CloseOptions, Gateway, GatewayLimits, GatewayOptions, Upstreams, Windows } from "./gateway.ts";
export { startGateway } from "./start-gateway.ts";
export type { GatewayStats, RequestTotals, StatsKeeper } from "./stats.ts";
export { startTelemetry, type Telemetry, type TelemetryOptions } from "./telemetry/start-telemetry.ts";
