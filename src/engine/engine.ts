import type { CountTokens, Message } from "../core/message/message.ts";
import type { ModelRegistry } from "../core/models/registry.ts";
import type {
  CondensationPlugin,
  CondensationResult,
  CondensationTrigger,
  CondensationValidator,
} from "../core/ports/condensation.ts";
import type { Embedder } from "../core/ports/embedder.ts";
import type { Hooks, Resolvers } from "../core/ports/hooks.ts";
import type { OffloadFiles } from "../core/ports/offload.ts";
import type { ListSessionsOptions, Store } from "../core/ports/store.ts";
import type { Telemetry } from "../core/ports/telemetry.ts";
import type { WorkspaceOf } from "../core/ports/workspace.ts";
import type { Statement } from "../core/statement/statement.ts";
import type { Configuration, LineLevel, ResolvedConfiguration } from "./configuration/configuration.ts";
import type { HistoryEntry } from "./monitoring/history.ts";
import type { Metrics } from "./monitoring/metrics.ts";
import type { EngineRecallOptions, SessionRecallHit } from "./session/recall-sessions.ts";
import type { Session, SessionOptions, StatementPeriod } from "./session/session.ts";
import type { SessionExport } from "./session/session-export.ts";
import type { ModelChoice } from "./session/session-model.ts";
import type { ImportSessionOptions, SessionInfo } from "./session/sessions.ts";

export interface EngineOptions extends ModelChoice {
  /** What condenses; `createEngine` adds a ledger to them, unless one is among them. */
  readonly condenser?: CondensationPlugin | readonly CondensationPlugin[] | undefined;
  readonly configuration?: Configuration | undefined;
  /** Check every condensation before it is put in place. */
  readonly validators?: readonly CondensationValidator[] | undefined;
  readonly hooks?: readonly Hooks[] | undefined;
  readonly resolvers?: Resolvers | undefined;
  readonly telemetry?: readonly Telemetry[] | undefined;
  /** Called with each log line that `monitoring.logging` lets pass. @default console.error */
  readonly log?: ((line: string, level: LineLevel) => void) | undefined;
  /** @default the built-in models */
  readonly registry?: ModelRegistry | undefined;
  /** @default countContentTokens */
  readonly countTokens?: CountTokens | undefined;
  /** The clock, in milliseconds since the epoch. @default Date.now */
  readonly now?: (() => number) | undefined;
  /**
   * Called between the steps of folding a long log. Where it returns a promise, that is awaited: a server lets others have their turn there.
   * What is folded does not depend on it. @default all steps are taken in one go
   */
  readonly pause?: (() => Promise<void> | undefined) | undefined;
  /** The store that keeps the sessions: `memoryStore()`, `sqliteStore()` or `postgresStore()`. @default they live in memory alone */
  readonly store?: Store | undefined;
  /**
   * When messages, and the records of requests, count as kept: on the disk, or as soon as everyone who opens the session sees them. Then a failing
   * power supply may take the newest of them, never one that a fold or anything else was kept after. For a server whose clients send the
   * whole conversation with each request; folds, rewinds and marks always wait for the disk. @default "durable"
   */
  readonly acknowledge?: "durable" | "visible" | undefined;
  /**
   * Takes large tool outputs when a fold hides them, so that an agent with a tool for reading can open them: `folderOffload()`.
   * @default nowhere: they are in the log, to be recalled or restored
   */
  readonly offload?: OffloadFiles | undefined;
  /** Ranks what recall finds by words also by meaning, and finds what says the same in other words. @default words alone decide */
  readonly embedder?: Embedder | undefined;
  /** The files of each session that is opened without a `workspace` of its own. @default none */
  readonly workspaceOf?: WorkspaceOf | undefined;
}

/** Keeps conversations inside their window. */
export interface Engine {
  /**
   * Opens the session with this id, or creates it. Options count where this engine does not have it open yet; `messages` for
   * one that has a log are refused.
   */
  session(id: string, options?: SessionOptions): Promise<Session>;
  /** The sessions there are, those written to last first: in the store, or, without one, those that are open. */
  sessions(options?: ListSessionsOptions): Promise<readonly SessionInfo[]>;
  /** Destroys a session and all that is kept of it, its offloaded files included; false where there is none. Nothing else destroys anything. */
  deleteSession(id: string): Promise<boolean>;
  /** Makes a session of what `session.export()` gave. @default id the one that it had */
  importSession(exported: SessionExport, options?: ImportSessionOptions): Promise<Session>;
  /** Searches the messages of all sessions in the store, hidden or not. */
  recall(query: string, options?: EngineRecallOptions): Promise<readonly SessionRecallHit[]>;
  /**
   * The statement over all sessions: in the store, or, without one, those that are open. Reads every event that is kept.
   * @example
   * ```ts
   * import { createEngine } from "palimpsest";
   * const engine = createEngine({ model: "claude-sonnet-4-5" });
   * await (await engine.session("task-42")).recordRequest({ usage: { inputTokens: 1_000, outputTokens: 10 } });
   * const { sessions, requests, spentUsd } = await engine.statement();
   * console.log(sessions, requests, spentUsd); // 1 1 0.00315
   * ```
   */
  statement(options?: StatementPeriod): Promise<Statement>;
  /** Changes settings; all that is not named stays. Takes effect at once, also for open sessions. */
  configure(configuration: Configuration): ResolvedConfiguration;
  registerPlugin(plugin: CondensationPlugin): void;
  /** Whether there was one of that name. */
  unregisterPlugin(name: string): boolean;
  registerValidator(validator: CondensationValidator): void;
  registerHook(hooks: Hooks): void;
  /** Condenses a log outside of any session. With `error`, nothing was changed. */
  condense(request: EngineCondenseRequest): Promise<CondensationResult>;
  getMetrics(): Metrics;
  /** The newest events, oldest first. */
  getHistory(): readonly HistoryEntry[];
}

export interface EngineCondenseRequest extends Omit<SessionOptions, "messages" | "workspace"> {
  readonly messages: readonly Message[];
  /** Fold ids follow from it. @default "" */
  readonly taskId?: string | undefined;
  /** @default "manual" */
  readonly trigger?: CondensationTrigger | undefined;
  /** Replaces every other prompt. */
  readonly prompt?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}
