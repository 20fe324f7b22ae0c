import { setTimeout as sleep } from "node:timers/promises";
import { WIRE_ADAPTERS } from "../adapters/index.ts";
import { assert, assertFunction, assertNumber, assertObject } from "../core/assert.ts";
import { createModelRegistry } from "../core/models/registry.ts";
import { economyTokens } from "../core/policy/economy.ts";
import type { WorkspaceOf } from "../core/ports/workspace.ts";
import type { ResolvedConfiguration } from "../engine/configuration/configuration.ts";
import { createBareEngine, createEngine } from "../engine/create-engine.ts";
import type { Engine } from "../engine/engine.ts";
import { createActivityFeed } from "./activity.ts";
import { createApi } from "./api/create-api.ts";
import { createRecentBodies, type RecentBodies } from "./bodies/recent-bodies.ts";
import { CACHE_MARKINGS, CACHE_TTLS, DEFAULT_HOST, DEFAULT_PORT, KEPT_REQUESTS, REQUEST_KINDS } from "./defaults.ts";
import { createKeyedQueue, type Marking } from "./exchange/fold-turn.ts";
import { CHECKPOINT_INCIDENT, createFileKeeper } from "./exchange/keep-files.ts";
import { createLearnedLimits } from "./exchange/limits.ts";
import { createTurns } from "./exchange/turns.ts";
import type { CacheOptions, Gateway, GatewayLimits, GatewayOptions, RequestBudgets } from "./gateway.ts";
import { startHttpServer } from "./http/start-http-server.ts";
import { createLedgerThread } from "./ledger/ledger-thread.ts";
import { withPacedLedger } from "./ledger/paced-ledger.ts";
import { createSessionFamilies } from "./match/session-family.ts";
import { nameOfError } from "./name-of-error.ts";
import { type BufferedStore, bufferedStore } from "./outages/buffered-store.ts";
import { followOutages, RecordsUnsaved } from "./outages/follow-outages.ts";
import { createPacerPool } from "./pacer.ts";
import { packageVersion } from "./package-version.ts";
import { createPage } from "./page/create-page.ts";
import { pageFolder } from "./page-folder.ts";
import { createRecalledReplies } from "./recall/recalled-replies.ts";
import { assertRetaining, retain } from "./retention/retain.ts";
import { createSessionIndex, createSessionPool, type SessionPool } from "./sessions/session-pool.ts";
import { keepStatements } from "./statements.ts";
import { keepStats } from "./stats.ts";

const CLOSE_TIMEOUT_MS = 3_000;

const DEFAULT_LIMITS: GatewayLimits = {
  maxBodyBytes: 64 * 1024 * 1024,
  maxDecodedBytes: 256 * 1024 * 1024,
  maxHeaderBytes: 64 * 1024,
  maxTargetBytes: 8 * 1024,
  headersTimeoutMs: 15_000,
  requestTimeoutMs: 300_000,
  turnTimeoutMs: 20_000,
  storeTimeoutMs: 5_000,
  storeRestartMs: 0,
  checkpointTimeoutMs: 10_000,
  maxOpenSessions: 64,
};

/** So that a turn can still go on without the store. */
const STORE_SHARE_OF_TURN = 0.25;

const TRUNCATION = { strategies: { primary: "truncation" } } as const;

/** Any model: each request configures its session with its own. */
const NO_MODEL = "unknown";

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
  assertOptions(options);
  const { host = DEFAULT_HOST, port = DEFAULT_PORT, token, windows, log = () => {} } = options;
  const { adapters = WIRE_ADAPTERS } = options;
  const registry = options.registry ?? createModelRegistry();
  const startedAt = Date.now();
  const feed = createActivityFeed();
  const stats = keepStats(feed, startedAt);
  feed.listen((activity) => {
    // Where files cannot be kept, that would be at every turn: it is told once, with the reason.
    if (activity.type === "incident" && activity.what !== CHECKPOINT_INCIDENT)
      log(`incident: ${activity.what}: ${activity.error}`, "warn");
  });
  const { configuration } = options;
  const incident = (what: string, error: unknown) =>
    feed.publish({ type: "incident", at: Date.now(), what, error: nameOfError(error) });
  const pacers = createPacerPool();
  const ledgerThread = createLedgerThread();
  const condenser = withPacedLedger(options.condenser, { thread: ledgerThread, pacers, incident });
  const { pause } = pacers.pacer();
  const scratch = createEngine({ model: NO_MODEL, registry, condenser, configuration, log: options.log, pause });
  let settings = scratch.configure({});
  const limits = limitsOf(settings, options);
  const index = createSessionIndex();
  const buffered = bufferedStore({
    store: options.store,
    timeoutMs: limits.storeTimeoutMs,
    timings: { restartMs: limits.storeRestartMs },
    now: Date.now,
    onEvent: followOutages({ feed, now: Date.now, log, incident, drop: (id) => pool.drop(id), index: index.add }),
  });
  const { store } = buffered;
  const truncator = createBareEngine({ model: NO_MODEL, registry, configuration: TRUNCATION });
  const workspaceOf = options.workspaceOf && safeWorkspaceOf(options.workspaceOf, incident);
  const own = createEngine({
    model: NO_MODEL,
    store,
    // The agent sends all of it again: nobody waits for the disk, but folds do.
    acknowledge: "visible",
    registry,
    condenser,
    configuration,
    // Of views that are sent once, nobody would read the files: the sessions' engine alone has them.
    offload: options.offload,
    log: options.log,
    workspaceOf,
    pause,
  });
  const pool = createSessionPool(own, limits.maxOpenSessions);
  const files =
    workspaceOf &&
    createFileKeeper({
      workspaceOf,
      timeoutMs: limits.checkpointTimeoutMs,
      pool,
      incident,
      tell: (line) => log(line, "warn"),
    });
  const bodies = createRecentBodies();
  const engine: Engine = {
    ...withPool(own, pool, bodies),
    configure: (changes) => {
      scratch.configure(changes);
      settings = own.configure(changes);
      return settings;
    },
  };
  const families = createSessionFamilies();
  const turns = createTurns({
    families,
    thresholds: () => settings.thresholds,
    isBudgetNoticed: () => settings.monitoring.budgetNotice,
    scratch,
    truncator: () => (mayTruncate(settings) ? truncator : undefined),
    store: buffered.asFarAsKnown,
    registry,
    enqueueFold: createKeyedQueue(),
    pool,
    feed,
    adapters,
    bodies,
    pacers,
    limits: createLearnedLimits(registry, windows),
    budgets: options.budgets,
    index,
    now: Date.now,
    incident,
    files,
    marking: markingOf(options.cache),
    recalled: options.recallTool === true ? createRecalledReplies({ store, incident }) : undefined,
    keepsBodies: options.keepRequests !== "off",
    diagnosesCache: options.cache?.diagnosis === true,
  });
  const { written } = pool;
  const hasFiles = workspaceOf !== undefined;
  const statements = keepStatements({
    // Not the one that hides outages: what is not written yet is in no statement.
    store: options.store,
    feed,
    registry,
    leftTokens: () => economyTokens(settings.thresholds.economy),
    since: startedAt,
    pause,
    written,
  });
  const retaining = retain({
    store: options.store,
    retention: options.retention,
    pool,
    log,
    incident,
    removeFiles: async (id) => {
      await options.offload?.remove(id);
      await workspaceOf?.(id)?.remove?.();
    },
  });
  const about = { families, hasFiles, version: packageVersion(), startedAt };
  const storeState = () => ({ isAvailable: buffered.isAvailable(), unsavedRecords: buffered.unsaved().records });
  const api = createApi({ engine, store, stats, feed, statements, storeState, written, adapters, registry, ...about });
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
    page: createPage(pageFolder()),
    api: api.listener,
  });
  return {
    url: server.url,
    engine,
    activity: feed,
    stats,
    statements,
    close: async (ending) => {
      api.close();
      await Promise.race([retaining.stop(), sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
      await server.close(ending);
      await endStore(buffered, { settled: pool.settled(), incident });
      await ledgerThread.close();
    },
  };
}

/** Waits for what is to be written; a store that never answers does not keep the gateway from ending. */
async function endStore(
  buffered: BufferedStore,
  { settled, incident }: { readonly settled: Promise<void>; readonly incident: (what: string, error: unknown) => void },
): Promise<void> {
  await Promise.race([settled.then(buffered.flush), sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
  buffered.stop();
  const { records, sessions } = buffered.unsaved();
  if (records > 0) incident(`store: ${records} records of ${sessions} sessions were not written`, new RecordsUnsaved());
}

function assertOptions(options: GatewayOptions): void {
  assertObject("options", options);
  const { store, port, host, windows, workspaceOf } = options;
  assertObject("options.store", store);
  if (port !== undefined) {
    assert(Number.isInteger(port) && port >= 0 && port <= 65_535, "options.port", port, "a port: 0 to 65535");
  }
  if (host !== undefined)
    assert(typeof host === "string" && host !== "", "options.host", host, "a host name or address");
  if (workspaceOf !== undefined) assertFunction("options.workspaceOf", workspaceOf);
  assertCache(options.cache);
  const { recallTool = false } = options;
  assert(typeof recallTool === "boolean", "options.recallTool", recallTool, "true or false");
  const { keepRequests = "all" } = options;
  assert(KEPT_REQUESTS.includes(keepRequests), "options.keepRequests", keepRequests, KEPT_REQUESTS.join(" or "));
  assertBudgets(options.budgets);
  assertRetaining(options);
  if (windows?.all !== undefined) assertNumber("options.windows.all", windows.all, 1);
  for (const [model, window] of Object.entries(windows?.models ?? {})) {
    assertNumber(`options.windows.models.${model}`, window, 1);
  }
}

function assertBudgets(budgets: RequestBudgets | undefined): void {
  if (budgets === undefined) return;
  assertObject("options.budgets", budgets);
  const unknown = Object.keys(budgets).find((kind) => !REQUEST_KINDS.some((each) => each === kind));
  assert(unknown === undefined, "options.budgets", unknown, `budgets of ${REQUEST_KINDS.join(", ")}`);
  for (const kind of REQUEST_KINDS) {
    if (budgets[kind] !== undefined) assertNumber(`options.budgets.${kind}`, budgets[kind], 1);
  }
}

function assertCache(cache: CacheOptions | undefined): void {
  if (cache === undefined) return;
  assertObject("options.cache", cache);
  const { breakpoints = "folded", ttl = "5m", diagnosis } = cache;
  assert([undefined, true, false].includes(diagnosis), "options.cache.diagnosis", diagnosis, "true or false");
  assert(CACHE_MARKINGS.includes(breakpoints), "options.cache.breakpoints", breakpoints, CACHE_MARKINGS.join(", "));
  assert(CACHE_TTLS.includes(ttl), "options.cache.ttl", ttl, CACHE_TTLS.join(" or "));
}

function markingOf({ breakpoints = "folded", ttl = "5m" }: CacheOptions = {}): Marking | undefined {
  return breakpoints === "off" ? undefined : { promptTtl: ttl, isForAll: breakpoints === "always" };
}

/** A model that condenses may take its time. */
function limitsOf({ strategies }: ResolvedConfiguration, { condenser, limits }: GatewayOptions): GatewayLimits {
  const { timeoutMs, maxModelCalls } = strategies;
  const condensingMs = condenser === undefined ? 0 : timeoutMs * maxModelCalls;
  const turnTimeoutMs = limits?.turnTimeoutMs ?? DEFAULT_LIMITS.turnTimeoutMs + condensingMs;
  const storeTimeoutMs = Math.min(DEFAULT_LIMITS.storeTimeoutMs, STORE_SHARE_OF_TURN * turnTimeoutMs);
  return { ...DEFAULT_LIMITS, turnTimeoutMs, storeTimeoutMs, ...limits };
}

function mayTruncate({ strategies: { primary, fallback } }: ResolvedConfiguration): boolean {
  return fallback === "truncation" || primary === "truncation";
}

/** Code that is not ours must not keep a session from being opened. */
function safeWorkspaceOf(workspaceOf: WorkspaceOf, incident: (what: string, error: unknown) => void): WorkspaceOf {
  return (sessionId) => {
    try {
      return workspaceOf(sessionId);
    } catch (error) {
      incident(CHECKPOINT_INCIDENT, error);
      return undefined;
    }
  };
}

/** An engine whose sessions are those of the pool: whoever opens one has the one that requests use. */
function withPool(engine: Engine, pool: SessionPool, bodies: RecentBodies): Engine {
  return {
    ...engine,
    session: async (id, options) => {
      if (options !== undefined) return engine.session(id, options);
      // Before it is opened: it must not be the one that is closed.
      pool.evictIdle();
      await pool.written();
      return pool.conversation(id).session();
    },
    deleteSession: async (id) => {
      pool.forget(id);
      bodies.forgetAll();
      return engine.deleteSession(id);
    },
  };
}
