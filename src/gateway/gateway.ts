import type { ModelRegistry } from "../core/models/registry.ts";
import type { CondensationPlugin } from "../core/ports/condensation.ts";
import type { OffloadFiles } from "../core/ports/offload.ts";
import type { Store } from "../core/ports/store.ts";
import type { WireAdapter } from "../core/ports/wire-adapter.ts";
import type { WorkspaceOf } from "../core/ports/workspace.ts";
import type { Retention } from "../core/store/plan-retention.ts";
import type { Configuration, LineLevel } from "../engine/configuration/configuration.ts";
import type { Engine } from "../engine/engine.ts";
import type { ActivityFeed } from "./activity.ts";
import type { StatementKeeper } from "./statements.ts";
import type { StatsKeeper } from "./stats.ts";

export interface GatewayOptions {
  /** @default 7717; 0 takes any that is free */
  readonly port?: number | undefined;
  /** Others than loopback need a token. @default "127.0.0.1" */
  readonly host?: string | undefined;
  /** What every request must bring as `x-palimpsest-token`. @default none, on loopback */
  readonly token?: string | undefined;
  /** The URLs that requests go to. @default for each upstream the URL that its adapter names */
  readonly upstreams?: Upstreams | undefined;
  /** The APIs that conversations come in. @default Anthropic Messages, OpenAI Responses and Chat Completions, Gemini */
  readonly adapters?: readonly WireAdapter[] | undefined;
  /** The store that keeps the sessions: `memoryStore()`, `sqliteStore()` or `postgresStore()`; the gateway does not close it. */
  readonly store: Store;
  /**
   * The files that agents work on, by session: they are kept at each turn of a person, and rewound with the messages. @default none
   */
  readonly workspaceOf?: WorkspaceOf | undefined;
  /** The context window in tokens: of all models, or by model id. @default what the registry knows */
  readonly windows?: Windows | undefined;
  /** The most tokens that a prompt may have, by the kind of its request, where that is less than the window. @default the window */
  readonly budgets?: RequestBudgets | undefined;
  /** @default the built-in models */
  readonly registry?: ModelRegistry | undefined;
  /** The condensers that are tried before the ledger. @default the ledger alone */
  readonly condenser?: CondensationPlugin | readonly CondensationPlugin[] | undefined;
  readonly configuration?: Configuration | undefined;
  /** Takes large tool outputs when a fold hides them, for agents of this machine: `folderOffload()`. @default they are kept in the log alone */
  readonly offload?: OffloadFiles | undefined;
  /**
   * Whether conversations that show folds get a tool by which the model reads back what they hide; the gateway answers its calls within the
   * reply. @default false
   */
  readonly recallTool?: boolean | undefined;
  /**
   * Whose bodies are kept, so that they can be shown and compared byte for byte: those of all answered requests, or of none. What was kept
   * before stays until its session is deleted. @default "all"
   */
  readonly keepRequests?: KeptRequests | undefined;
  /** Marks for the prompt caches of providers that want them; those that agents set stay as they are. */
  readonly cache?: CacheOptions | undefined;
  /** Holds `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`. @default upstreams are asked directly */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
  /** Called with each line about an incident, never with content. @default nothing is logged */
  readonly log?: ((line: string, level: LineLevel) => void) | undefined;
  readonly limits?: Partial<GatewayLimits> | undefined;
  /** What the store keeps; all else is removed when the gateway starts, and every hour. Needs a store of its kind. @default all is kept */
  readonly retention?: Retention | undefined;
}

export interface CacheOptions {
  /** Which requests are marked: those that show folds, all of a conversation's, or none. @default "folded" */
  readonly breakpoints?: CacheMarking | undefined;
  /** How long system prompt and tools are to be kept, where the agent does not say it. @default "5m" */
  readonly ttl?: CacheTtl | undefined;
  /**
   * Whether Anthropic and OpenAI are asked why their caches missed, and requests are compared with those before them: what both say is in the
   * sessions' statements. Keeps the last body of each open session in memory. @default false
   */
  readonly diagnosis?: boolean | undefined;
}

export type KeptRequests = "all" | "off";
export type CacheMarking = "folded" | "always" | "off";
export type CacheTtl = "5m" | "1h";

/** Base URLs by the name of an upstream, such as `anthropic`, `openai` or `gemini`. */
export type Upstreams = Readonly<Record<string, string>>;

export interface Windows {
  /** The window of every model that is not named. */
  readonly all?: number | undefined;
  readonly models?: Readonly<Record<string, number>> | undefined;
}

/** Budgets in tokens. A request that names its own in `x-palimpsest-budget` keeps to that one. */
export interface RequestBudgets {
  /** The budget of an agent that a person speaks to. */
  readonly main?: number | undefined;
  /** The budget of agents that another one started. */
  readonly "sub-agent"?: number | undefined;
  /** The budget of titles, checks and summaries that an agent asks for beside its conversation. */
  readonly side?: number | undefined;
}

export interface GatewayLimits {
  /** Larger bodies get a 413. @default 64 MiB */
  readonly maxBodyBytes: number;
  /** What compressed bodies may take, decoded, of all requests in flight; beyond it they get a 503. @default 256 MiB */
  readonly maxDecodedBytes: number;
  /** @default 64 KiB */
  readonly maxHeaderBytes: number;
  /** A path with its query that is longer gets a 414. @default 8 KiB */
  readonly maxTargetBytes: number;
  /** How long a client may take to send its headers. @default 15_000 */
  readonly headersTimeoutMs: number;
  /** How long a client may take to send its request. @default 300_000 */
  readonly requestTimeoutMs: number;
  /** How long our own part of a request may take before it is forwarded as it came. @default 20_000, plus what a condensing model may take */
  readonly turnTimeoutMs: number;
  /** How long the store may take to answer before requests go on without it. @default 5_000, and a quarter of `turnTimeoutMs` at most */
  readonly storeTimeoutMs: number;
  /**
   * How long requests wait for a store that failed and may be restarting, as a PostgreSQL that several gateways share; after that they go on
   * without it, each gateway by itself. @default 0
   */
  readonly storeRestartMs: number;
  /** How long the end of a reply waits for the agent's files to be saved. @default 10_000 */
  readonly checkpointTimeoutMs: number;
  /** Sessions that are held open; those asked longest ago are closed, and opened again when they go on. @default 64 */
  readonly maxOpenSessions: number;
}

/** A gateway that runs. Close it, or the process stays alive. */
export interface Gateway {
  /** Such as `http://127.0.0.1:7717`. */
  readonly url: string;
  readonly engine: Engine;
  readonly activity: ActivityFeed;
  readonly stats: StatsKeeper;
  /** What the sessions' requests since the start cost, and what they would have cost. */
  readonly statements: StatementKeeper;
  /** Stops listening, and ends every connection when requests in flight have had their time. */
  close(options?: CloseOptions): Promise<void>;
}

export interface CloseOptions {
  /** How long requests in flight may take to end. @default 0 */
  readonly graceMs?: number | undefined;
}
