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
import type { SessionInfo } from "./session/opened-sessions.ts";
import type { EngineRecallOptions, SessionRecallHit } from "./session/recall-sessions.ts";
import type { StatementPeriod } from "./session/requests/read-account.ts";
import type { Session, SessionOptions } from "./session/session.ts";
import type { SessionExport } from "./session/session-export.ts";
import type { ModelChoice } from "./session/session-model.ts";
import type { ImportSessionOptions } from "./session/sessions.ts";

export interface EngineOptions extends ModelChoice {
  /** The condensers. `createEngine` adds a ledger, unless one is among them. */
  readonly condenser?: CondensationPlugin | readonly CondensationPlugin[] | undefined;
  readonly configuration?: Configuration | undefined;
  /** Each checks every condensation before it is committed. */
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
   * Called between the steps of folding a long log. A promise that it returns is awaited, so that a server can handle other requests meanwhile.
   * The result does not depend on it. @default all steps run without a pause
   */
  readonly pause?: (() => Promise<void> | undefined) | undefined;
  /** The store that keeps the sessions: `memoryStore()`, `sqliteStore()` or `postgresStore()`. @default they live in memory alone */
  readonly store?: Store | undefined;
  /**
   * When messages and the records of requests count as kept: once they are on the disk, or, with "visible", once every process that opens the session
   * sees them. A power failure may then lose the newest of them, but none that a fold or another durable record follows. For a server whose
   * clients send the whole conversation with each request. Folds, rewinds and marks always wait for the disk. @default "durable"
   */
  readonly acknowledge?: "durable" | "visible" | undefined;
  /**
   * Writes large tool outputs to files when a fold hides them, so that an agent with a tool for reading can open them: `folderOffload()`.
   * @default no files: the outputs stay in the log, to be recalled or restored
   */
  readonly offload?: OffloadFiles | undefined;
  /** Lets recall rank by meaning, too, and find passages that use other words. @default words alone decide */
  readonly embedder?: Embedder | undefined;
  /** The files of each session that is opened without a `workspace` of its own. @default none */
  readonly workspaceOf?: WorkspaceOf | undefined;
}

/** Keeps conversations inside their window. */
export interface Engine {
  /**
   * Opens the session with this id, or creates it. Options are ignored where this engine has it open already. Throws "invalid-argument" for
   * `messages` where the session has a log.
   */
  session(id: string, options?: SessionOptions): Promise<Session>;
  /** The sessions in the store or, without one, those that are open. The ones written to last come first. */
  sessions(options?: ListSessionsOptions): Promise<readonly SessionInfo[]>;
  /** Deletes a session and all its data, offloaded files included; false where there is none. No other method deletes messages. */
  deleteSession(id: string): Promise<boolean>;
  /** Creates a session from the result of `session.export()`. @default id the exported session's */
  importSession(exported: SessionExport, options?: ImportSessionOptions): Promise<Session>;
  /** Searches the messages of all sessions in the store, hidden or not. */
  recall(query: string, options?: EngineRecallOptions): Promise<readonly SessionRecallHit[]>;
  /**
   * The statement over all sessions in the store or, without one, over those that are open. Reads all their events.
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
  /** Changes settings and returns all of them; what is not named stays. Takes effect at once, also in open sessions. */
  configure(configuration: Configuration): ResolvedConfiguration;
  registerPlugin(plugin: CondensationPlugin): void;
  /** Removes a condenser by its name; false where there was none. */
  unregisterPlugin(name: string): boolean;
  registerValidator(validator: CondensationValidator): void;
  registerHook(hooks: Hooks): void;
  /** Condenses a log outside of any session. If the result has an `error`, nothing was changed. */
  condense(request: EngineCondenseRequest): Promise<CondensationResult>;
  getMetrics(): Metrics;
  /** The newest events, oldest first. */
  getHistory(): readonly HistoryEntry[];
}

export interface EngineCondenseRequest extends Omit<SessionOptions, "messages" | "workspace"> {
  readonly messages: readonly Message[];
  /** Fold ids are derived from it. @default "" */
  readonly taskId?: string | undefined;
  /** @default "manual" */
  readonly trigger?: CondensationTrigger | undefined;
  /** Replaces every other prompt. */
  readonly prompt?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}
