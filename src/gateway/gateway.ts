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
  /** The port to listen on; 0 takes any free one. @default 7717 */
  readonly port?: number | undefined;
  /** The host name or address to listen on; any other than loopback needs a `token`. @default "127.0.0.1" */
  readonly host?: string | undefined;
  /** The secret that every request must send in the header `x-palimpsest-token`. @default none, on loopback */
  readonly token?: string | undefined;
  /** The URLs that requests go to. @default for each upstream the URL that its adapter names */
  readonly upstreams?: Upstreams | undefined;
  /** The adapters for the APIs that agents speak. @default Anthropic Messages, OpenAI Responses and Chat Completions, Gemini */
  readonly adapters?: readonly WireAdapter[] | undefined;
  /** The store that keeps the sessions: `memoryStore()`, `sqliteStore()` or `postgresStore()`; the gateway does not close it. */
  readonly store: Store;
  /**
   * Gives the workspace of a session: its files are saved at each turn of a person, and rewound with the messages. @default no files are saved
   */
  readonly workspaceOf?: WorkspaceOf | undefined;
  /** The context windows in tokens: of all models, or by model id. @default those of the registry */
  readonly windows?: Windows | undefined;
  /** The most tokens that a prompt may have, by the kind of its request, if that is less than the window. @default the window */
  readonly budgets?: RequestBudgets | undefined;
  /** The known models, with their windows and prices. @default the built-in models */
  readonly registry?: ModelRegistry | undefined;
  /** The condensers that are tried before the ledger. @default the ledger alone */
  readonly condenser?: CondensationPlugin | readonly CondensationPlugin[] | undefined;
  readonly configuration?: Configuration | undefined;
  /** Writes large tool outputs to files when a fold hides them, for agents on this machine: `folderOffload()`. @default they are only kept in the log */
  readonly offload?: OffloadFiles | undefined;
  /**
   * Whether conversations with folds get a tool with which the model reads hidden content back; the gateway answers the tool's calls within the
   * reply. @default false
   */
  readonly recallTool?: boolean | undefined;
  /**
   * Whether the bodies of answered requests are kept, so that they can be shown and compared byte for byte: all or none. Bodies that were kept
   * before stay until their session is deleted. @default "all"
   */
  readonly keepRequests?: KeptRequests | undefined;
  /** How requests are marked for prompt caches of providers that need marks; marks that the agent set stay as they are. */
  readonly cache?: CacheOptions | undefined;
  /** The variables `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`. @default upstreams are called without a proxy */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
  /** Called with each line about an incident, never with content. @default nothing is logged */
  readonly log?: ((line: string, level: LineLevel) => void) | undefined;
  readonly limits?: Partial<GatewayLimits> | undefined;
  /** Which sessions the store keeps; the others are removed when the gateway starts, and every hour. Not all stores can do it. @default all are kept */
  readonly retention?: Retention | undefined;
}

export interface CacheOptions {
  /** Which requests are marked: those with folds ("folded"), all requests of conversations ("always"), or none ("off"). @default "folded" */
  readonly breakpoints?: CacheMarking | undefined;
  /** How long the provider is asked to cache system prompt and tools, if the agent does not set it. @default "5m" */
  readonly ttl?: CacheTtl | undefined;
  /**
   * Whether Anthropic and OpenAI are asked why their caches missed, and each request is compared with the previous one. Both results are in the
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
  /** The window of every model that `models` does not name. */
  readonly all?: number | undefined;
  readonly models?: Readonly<Record<string, number>> | undefined;
}

/** Budgets in tokens. A request's own budget, in the header `x-palimpsest-budget`, comes first. */
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
  /** The decoded bytes of compressed bodies, of all requests in flight together; requests beyond it get a 503. @default 256 MiB */
  readonly maxDecodedBytes: number;
  /** @default 64 KiB */
  readonly maxHeaderBytes: number;
  /** A path with its query that is longer gets a 414. @default 8 KiB */
  readonly maxTargetBytes: number;
  /** How long a client may take to send its headers. @default 15_000 */
  readonly headersTimeoutMs: number;
  /** How long a client may take to send its request. @default 300_000 */
  readonly requestTimeoutMs: number;
  /** How long the gateway may work on a request before it is forwarded unchanged. @default 20_000, plus what a condensing model may take */
  readonly turnTimeoutMs: number;
  /** How long the store may take to answer before requests go on without it. @default 5_000, and a quarter of `turnTimeoutMs` at most */
  readonly storeTimeoutMs: number;
  /**
   * How long requests wait for a failed store that may be restarting, such as a PostgreSQL that several gateways share; after that each gateway
   * goes on without the store. @default 0
   */
  readonly storeRestartMs: number;
  /** How long the end of a reply waits for the agent's files to be saved. @default 10_000 */
  readonly checkpointTimeoutMs: number;
  /** The most sessions that stay open; the least recently used ones are closed, and opened again for their next request. @default 64 */
  readonly maxOpenSessions: number;
}

/** A running gateway. Close it, or the process stays alive. */
export interface Gateway {
  /** Such as `http://127.0.0.1:7717`. */
  readonly url: string;
  readonly engine: Engine;
  readonly activity: ActivityFeed;
  readonly stats: StatsKeeper;
  /** The cost of the sessions' requests since the start, and what they would have cost without the gateway. */
  readonly statements: StatementKeeper;
  /** Stops listening, waits `graceMs` for requests in flight, and then closes every connection. */
  close(options?: CloseOptions): Promise<void>;
}

export interface CloseOptions {
  /** How long requests in flight may take to end. @default 0 */
  readonly graceMs?: number | undefined;
}
