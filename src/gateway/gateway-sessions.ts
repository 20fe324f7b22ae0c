import type { ModelRegistry } from "../core/models/registry.ts";
import type { Pause } from "../core/ports/pacer.ts";
import type { WorkspaceOf } from "../core/ports/workspace.ts";
import type { LineLevel, ResolvedConfiguration } from "../engine/configuration/configuration.ts";
import { createBareEngine, createEngine } from "../engine/create-engine.ts";
import type { Engine } from "../engine/engine.ts";
import type { ActivityFeed } from "./activity.ts";
import { createRecentBodies, type RecentBodies } from "./bodies/recent-bodies.ts";
import { CHECKPOINT_INCIDENT, createFileKeeper, type FileKeeper } from "./exchange/keep-files.ts";
import type { GatewayLimits, GatewayOptions } from "./gateway.ts";
import { limitsOf } from "./gateway-options.ts";
import type { LedgerThread } from "./ledger/ledger-thread.ts";
import { withPacedLedger } from "./ledger/paced-ledger.ts";
import { createSessionFamilies, type SessionFamilies } from "./match/session-family.ts";
import { type BufferedStore, bufferedStore } from "./outages/buffered-store.ts";
import { followOutages } from "./outages/follow-outages.ts";
import type { PacerPool } from "./pacer.ts";
import { createSessionIndex, type SessionIndex } from "./sessions/session-index.ts";
import { createSessionPool, type SessionPool } from "./sessions/session-pool.ts";

/** The services that all parts of one gateway share. */
export interface GatewayPorts {
  readonly options: GatewayOptions;
  readonly registry: ModelRegistry;
  readonly feed: ActivityFeed;
  readonly log: (line: string, level: LineLevel) => void;
  /** Called with the name of the step that failed and its error; neither holds content of a request. */
  readonly incident: (what: string, error: unknown) => void;
  readonly pacers: PacerPool;
  readonly pause: Pause;
  readonly ledgerThread: LedgerThread;
}

/** The sessions of one gateway: its engines, its store, and what it keeps of sessions in memory. */
export interface GatewaySessions {
  /** The engine of the gateway's public API: its sessions are those of the pool. */
  readonly engine: Engine;
  /** Folds requests that belong to no session. */
  readonly scratch: Engine;
  /** An engine that only truncates; undefined where the settings do not allow truncation. */
  truncator(): Engine | undefined;
  /** The engines' current configuration. */
  settings(): ResolvedConfiguration;
  readonly limits: GatewayLimits;
  /** The store, with a buffer of the records that are not written yet. */
  readonly buffered: BufferedStore;
  readonly pool: SessionPool;
  readonly index: SessionIndex;
  readonly bodies: RecentBodies;
  readonly families: SessionFamilies;
  readonly workspaceOf: WorkspaceOf | undefined;
  readonly files: FileKeeper | undefined;
}

/** A placeholder: each request configures its session with its own model. */
const NO_MODEL = "unknown";

const TRUNCATION = { strategies: { primary: "truncation" } } as const;

/** Opens the sessions of a gateway. */
export function openGatewaySessions(ports: GatewayPorts): GatewaySessions {
  const { options, registry, incident } = ports;
  const basis = engineOptions(ports);
  const scratch = createEngine(basis);
  let settings = scratch.configure({});
  const limits = limitsOf(settings, options);
  const index = createSessionIndex();
  const buffered = openStore(ports, { limits, index, drop: (id) => pool.drop(id) });
  const truncator = createBareEngine({ model: NO_MODEL, registry, configuration: TRUNCATION });
  const workspaceOf = options.workspaceOf && safeWorkspaceOf(options.workspaceOf, incident);
  const own = createEngine({
    ...basis,
    store: buffered.store,
    // Only folds wait for the store to acknowledge them: messages are sent again by the agent if they are lost.
    acknowledge: "visible",
    // Only this engine offloads: nobody would read the files of a view that is sent once.
    offload: options.offload,
    workspaceOf,
  });
  const pool = createSessionPool(own, limits.maxOpenSessions);
  const bodies = createRecentBodies();
  return {
    engine: {
      ...withPool(own, pool, bodies),
      configure: (changes) => {
        scratch.configure(changes);
        settings = own.configure(changes);
        return settings;
      },
    },
    scratch,
    truncator: () => (mayTruncate(settings) ? truncator : undefined),
    settings: () => settings,
    limits,
    buffered,
    pool,
    index,
    bodies,
    families: createSessionFamilies({ store: buffered.store, pool, incident }),
    workspaceOf,
    files: workspaceOf && keepFilesOf(workspaceOf, { pool, limits, ...ports }),
  };
}

/** The options that both engines with condensers share, the condensers included. */
function engineOptions({ options, registry, ledgerThread, pacers, pause, incident }: GatewayPorts) {
  const condenser = withPacedLedger(options.condenser, { thread: ledgerThread, pacers, incident });
  return { model: NO_MODEL, registry, condenser, configuration: options.configuration, log: options.log, pause };
}

interface StoreUsers {
  readonly limits: GatewayLimits;
  readonly index: SessionIndex;
  readonly drop: (sessionId: string) => void;
}

function openStore({ options, feed, log, incident }: GatewayPorts, { limits, index, drop }: StoreUsers): BufferedStore {
  return bufferedStore({
    store: options.store,
    timeoutMs: limits.storeTimeoutMs,
    timings: { restartMs: limits.storeRestartMs },
    now: Date.now,
    onEvent: followOutages({ feed, now: Date.now, log, incident, drop, index: index.add }),
  });
}

function keepFilesOf(
  workspaceOf: WorkspaceOf,
  { pool, limits, incident, log }: Pick<GatewaySessions, "pool" | "limits"> & Pick<GatewayPorts, "incident" | "log">,
): FileKeeper {
  const warn = (line: string) => log(line, "warn");
  return createFileKeeper({ workspaceOf, timeoutMs: limits.checkpointTimeoutMs, pool, incident, warn });
}

function mayTruncate({ strategies: { primary, fallback } }: ResolvedConfiguration): boolean {
  return fallback === "truncation" || primary === "truncation";
}

/** Calls `workspaceOf`, which is not our code: an error in it becomes an incident, so that the session can still be opened. */
function safeWorkspaceOf(workspaceOf: WorkspaceOf, incident: GatewayPorts["incident"]): WorkspaceOf {
  return (sessionId) => {
    try {
      return workspaceOf(sessionId);
    } catch (error) {
      incident(CHECKPOINT_INCIDENT, error);
      return undefined;
    }
  };
}

/** An engine whose sessions are those of the pool: a session that the API opens is the same object that requests use. */
function withPool(engine: Engine, pool: SessionPool, bodies: RecentBodies): Engine {
  return {
    ...engine,
    session: async (id, options) => {
      if (options !== undefined) return engine.session(id, options);
      // Before the session is opened, so that it is not evicted itself.
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
