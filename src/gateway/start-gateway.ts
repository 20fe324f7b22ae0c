import { setTimeout as sleep } from "node:timers/promises";
import { WIRE_ADAPTERS } from "../adapters/index.ts";
import { demand, demandNumber, demandObject } from "../core/demand.ts";
import { createModelRegistry } from "../core/models/registry.ts";
import type { ResolvedConfiguration } from "../engine/configuration/configuration.ts";
import { createEngine } from "../engine/create-engine.ts";
import type { Engine } from "../engine/engine.ts";
import { createActivityFeed } from "./activity.ts";
import { createApi } from "./api/index.ts";
import { createRecentBodies, type RecentBodies } from "./bodies/recent-bodies.ts";
import { createConversationIndex } from "./conversations/conversation-index.ts";
import { createDesk, type Desk } from "./conversations/desk.ts";
import { createLearnedLimits } from "./conversations/limits.ts";
import { createTurns } from "./conversations/turns.ts";
import { DEFAULT_HOST, DEFAULT_PORT } from "./defaults.ts";
import type { Gateway, GatewayLimits, GatewayOptions } from "./gateway.ts";
import { startHttpServer } from "./http/start-http-server.ts";
import { nameOfError } from "./name-of-error.ts";
import { packageVersion } from "./package-version.ts";
import { keepStats } from "./stats.ts";

const CLOSE_TIMEOUT_MS = 3_000;

const DEFAULT_LIMITS: GatewayLimits = {
  maxBodyBytes: 64 * 1024 * 1024,
  maxHeaderBytes: 64 * 1024,
  maxTargetBytes: 8 * 1024,
  headersTimeoutMs: 15_000,
  requestTimeoutMs: 300_000,
  turnTimeoutMs: 20_000,
  maxOpenSessions: 64,
};

/** Any model: each session is told its own with each request. */
const NO_MODEL = "unknown";

/** Starts a gateway. Agents that are pointed at its URL have their conversations kept inside the window. */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  demandOptions(options);
  const {
    store,
    host = DEFAULT_HOST,
    port = DEFAULT_PORT,
    token,
    windows,
    log = () => {},
    adapters = WIRE_ADAPTERS,
  } = options;
  const registry = options.registry ?? createModelRegistry();
  const startedAt = Date.now();
  const feed = createActivityFeed();
  const stats = keepStats(feed, startedAt);
  feed.listen((activity) => {
    if (activity.type === "incident") log(`incident: ${activity.what}: ${activity.error}`);
  });
  const { condenser, configuration } = options;
  const scratch = createEngine({ model: NO_MODEL, registry, condenser, configuration });
  const own = createEngine({ model: NO_MODEL, store, registry, condenser, configuration });
  let settings = own.configure({});
  const turnTimeoutMs = turnTimeoutOf(settings, condenser !== undefined);
  const limits = { ...DEFAULT_LIMITS, turnTimeoutMs, ...options.limits };
  const desk = createDesk(own, limits.maxOpenSessions);
  const bodies = createRecentBodies();
  const engine: Engine = {
    ...withDesk(own, desk, bodies),
    configure: (changes) => {
      scratch.configure(changes);
      settings = own.configure(changes);
      return settings;
    },
  };
  const turns = createTurns({
    thresholds: () => settings.thresholds,
    scratch,
    store,
    registry,
    desk,
    feed,
    adapters,
    bodies,
    limits: createLearnedLimits(registry, windows),
    index: createConversationIndex(),
    now: Date.now,
    incident: (what, error) => feed.publish({ type: "incident", at: Date.now(), what, error: nameOfError(error) }),
  });
  const { caughtUp } = desk;
  const api = createApi({ engine, store, stats, feed, caughtUp, version: packageVersion(), startedAt });
  const server = await startHttpServer({
    host,
    port,
    token,
    upstreams: options.upstreams ?? {},
    adapters,
    environment: options.environment,
    turns,
    feed,
    limits,
    api: api.listener,
  });
  return {
    url: server.url,
    engine,
    activity: feed,
    stats,
    close: async (ending) => {
      api.close();
      await server.close(ending);
      // A store that never answers does not keep the gateway from ending.
      await Promise.race([desk.settled(), sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
    },
  };
}

function demandOptions(options: GatewayOptions): void {
  demandObject("options", options);
  const { store, port, host, windows } = options;
  demandObject("options.store", store);
  if (port !== undefined) {
    demand(Number.isInteger(port) && port >= 0 && port <= 65_535, "options.port", port, "a port: 0 to 65535");
  }
  if (host !== undefined)
    demand(typeof host === "string" && host !== "", "options.host", host, "a host name or address");
  if (windows?.all !== undefined) demandNumber("options.windows.all", windows.all, 1);
  for (const [model, window] of Object.entries(windows?.models ?? {})) {
    demandNumber(`options.windows.models.${model}`, window, 1);
  }
}

/** A model that condenses may take its time. */
function turnTimeoutOf({ strategies }: ResolvedConfiguration, asksModel: boolean): number {
  const { timeoutMs, maxModelCalls } = strategies;
  return DEFAULT_LIMITS.turnTimeoutMs + (asksModel ? timeoutMs * maxModelCalls : 0);
}

/** Whoever opens or deletes a session, the desk knows. */
function withDesk(engine: Engine, desk: Desk, bodies: RecentBodies): Engine {
  return {
    ...engine,
    session: async (id, options) => {
      if (options !== undefined) return engine.session(id, options);
      // Before it is opened: it must not be the one that is closed.
      desk.tidy();
      await desk.caughtUp();
      return desk.conversation(id).session();
    },
    deleteSession: async (id) => {
      desk.forget(id);
      bodies.forgetAll();
      return engine.deleteSession(id);
    },
  };
}
