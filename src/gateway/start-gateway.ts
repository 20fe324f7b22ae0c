import { setTimeout as sleep } from "node:timers/promises";
import { WIRE_ADAPTERS } from "../adapters/index.ts";
import { createModelRegistry } from "../core/models/registry.ts";
import { economyTokens } from "../core/policy/economy.ts";
import type { WireAdapter } from "../core/ports/wire-adapter.ts";
import { createActivityFeed } from "./activity.ts";
import { type Api, createApi } from "./api/create-api.ts";
import { DEFAULT_HOST, DEFAULT_PORT } from "./defaults.ts";
import { createKeyedQueue, type Marking } from "./exchange/fold-turn.ts";
import { CHECKPOINT_INCIDENT } from "./exchange/keep-files.ts";
import { createLearnedLimits } from "./exchange/limits.ts";
import { createTurns } from "./exchange/turns.ts";
import type { CacheOptions, Gateway, GatewayOptions } from "./gateway.ts";
import { assertGatewayOptions } from "./gateway-options.ts";
import { type GatewayPorts, type GatewaySessions, openGatewaySessions } from "./gateway-sessions.ts";
import { type HttpServer, startHttpServer } from "./http/start-http-server.ts";
import { createLedgerThread } from "./ledger/ledger-thread.ts";
import { nameOfError } from "./name-of-error.ts";
import type { BufferedStore } from "./outages/buffered-store.ts";
import { RecordsUnsaved } from "./outages/follow-outages.ts";
import { createPacerPool } from "./pacer.ts";
import { packageVersion } from "./package-version.ts";
import { createPage } from "./page/create-page.ts";
import { pageFolder } from "./page-folder.ts";
import { createRecalledReplies } from "./recall/recalled-replies.ts";
import { type Retaining, retain } from "./retention/retain.ts";
import { keepStatements, type StatementKeeper } from "./statements.ts";
import { keepStats, type StatsKeeper } from "./stats.ts";
import type { Turns } from "./turn.ts";

const CLOSE_TIMEOUT_MS = 3_000;

/** The parts of a running gateway. */
interface GatewayParts extends GatewayPorts {
  readonly adapters: readonly WireAdapter[];
  readonly startedAt: number;
  readonly stats: StatsKeeper;
  readonly sessions: GatewaySessions;
}

/**
 * Starts a gateway. Agents that are pointed at its URL have their conversations kept inside the window.
 * @example
 * ```ts
 * import { startGateway } from "palimpsest/gateway";
 * import { memoryStore } from "palimpsest/stores/memory";
 * const gateway = await startGateway({ store: memoryStore(), port: 0 });
 * console.log(gateway.url.startsWith("http://127.0.0.1:")); // true
 * await gateway.close();
 * ```
 */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  assertGatewayOptions(options);
  const startedAt = Date.now();
  const ports = createPorts(options);
  const { feed } = ports;
  const stats = keepStats(feed, startedAt);
  logIncidents(ports);
  const sessions = openGatewaySessions(ports);
  const { adapters = WIRE_ADAPTERS } = options;
  const parts: GatewayParts = { ...ports, adapters, startedAt, stats, sessions };
  const turns = createGatewayTurns(parts);
  const statements = keepGatewayStatements(parts);
  const retaining = retainSessions(parts);
  const api = createGatewayApi(parts, statements);
  const server = await listen(parts, { turns, api });
  return {
    url: server.url,
    engine: sessions.engine,
    activity: feed,
    stats,
    statements,
    close: async (ending) => {
      api.close();
      await Promise.race([retaining.stop(), sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
      await server.close(ending);
      await endStore(sessions.buffered, { settled: sessions.pool.settled(), incident: ports.incident });
      await ports.ledgerThread.close();
    },
  };
}

function createPorts(options: GatewayOptions): GatewayPorts {
  const feed = createActivityFeed();
  const pacers = createPacerPool();
  return {
    options,
    registry: options.registry ?? createModelRegistry(),
    feed,
    log: options.log ?? (() => {}),
    incident: (what, error) => feed.publish({ type: "incident", at: Date.now(), what, error: nameOfError(error) }),
    pacers,
    pause: pacers.pacer().pause,
    ledgerThread: createLedgerThread(),
  };
}

function logIncidents({ feed, log }: GatewayPorts): void {
  feed.listen((activity) => {
    // File checkpoints log their first failure themselves, with the reason; every further turn would repeat it.
    if (activity.type === "incident" && activity.what !== CHECKPOINT_INCIDENT)
      log(`incident: ${activity.what}: ${activity.error}`, "warn");
  });
}

function createGatewayTurns({ options, registry, feed, adapters, pacers, incident, sessions }: GatewayParts): Turns {
  const { settings, scratch, truncator, buffered, pool, index, bodies, families, files } = sessions;
  return createTurns({
    families,
    thresholds: () => settings().thresholds,
    isBudgetNoticed: () => settings().monitoring.budgetNotice,
    scratch,
    truncator,
    store: buffered.asFarAsKnown,
    registry,
    enqueueFold: createKeyedQueue(),
    pool,
    feed,
    adapters,
    bodies,
    pacers,
    limits: createLearnedLimits(registry, options.windows),
    budgets: options.budgets,
    index,
    now: Date.now,
    incident,
    files,
    marking: markingOf(options.cache),
    recalled: options.recallTool === true ? createRecalledReplies({ store: buffered.store, incident }) : undefined,
    keepsBodies: options.keepRequests !== "off",
    diagnosesCache: options.cache?.diagnosis === true,
  });
}

function markingOf({ breakpoints = "folded", ttl = "5m" }: CacheOptions = {}): Marking | undefined {
  return breakpoints === "off" ? undefined : { promptTtl: ttl, isForAll: breakpoints === "always" };
}

function keepGatewayStatements({ options, feed, registry, startedAt, pause, sessions }: GatewayParts): StatementKeeper {
  return keepStatements({
    // Not the buffered store: records that are not written yet are in no statement.
    store: options.store,
    feed,
    registry,
    leftTokens: () => economyTokens(sessions.settings().thresholds.economy),
    since: startedAt,
    pause,
    written: sessions.pool.written,
  });
}

function retainSessions({ options, log, incident, sessions }: GatewayParts): Retaining {
  return retain({
    store: options.store,
    retention: options.retention,
    pool: sessions.pool,
    log,
    incident,
    removeFiles: async (id) => {
      await options.offload?.remove(id);
      await sessions.workspaceOf?.(id)?.remove?.();
    },
  });
}

function createGatewayApi(parts: GatewayParts, statements: StatementKeeper): Api {
  const { stats, feed, adapters, registry, startedAt, sessions } = parts;
  const { engine, buffered, pool, families, workspaceOf } = sessions;
  return createApi({
    engine,
    store: buffered.store,
    stats,
    feed,
    statements,
    storeState: () => ({ isAvailable: buffered.isAvailable(), unsavedRecords: buffered.unsaved().records }),
    written: pool.written,
    adapters,
    registry,
    families,
    hasFiles: workspaceOf !== undefined,
    version: packageVersion(),
    startedAt,
  });
}

function listen(
  { options, adapters, feed, sessions }: GatewayParts,
  { turns, api }: { readonly turns: Turns; readonly api: Api },
): Promise<HttpServer> {
  const { host = DEFAULT_HOST, port = DEFAULT_PORT, token, upstreams = {}, environment } = options;
  return startHttpServer({
    host,
    port,
    token,
    upstreams,
    adapters,
    environment,
    turns,
    feed,
    limits: sessions.limits,
    page: createPage(pageFolder()),
    api: api.listener,
  });
}

/** Waits until the store has written all records, but no longer than the timeout: a store that never answers must not keep the gateway open. */
async function endStore(
  buffered: BufferedStore,
  { settled, incident }: Pick<GatewayPorts, "incident"> & { readonly settled: Promise<void> },
): Promise<void> {
  await Promise.race([settled.then(buffered.flush), sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
  buffered.stop();
  const { records, sessions } = buffered.unsaved();
  if (records > 0) incident(`store: ${records} records of ${sessions} sessions were not written`, new RecordsUnsaved());
}
