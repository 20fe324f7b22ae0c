import type { ClearingKind, ProviderClearing } from "../history/provider-clearing.ts";
import type { BlockFold, Message } from "../message/message.ts";
import type { ViewProblemCode } from "../message/validate-view.ts";
import type { ModelFailure } from "../policy/failure-texts.ts";
import type { ReportedCacheMiss } from "../statement/cache-diagnosis.ts";
import type { ReportedUsage } from "../tokens/forecast.ts";
import type { WireRecall } from "./wire-recall.ts";

/** The name of an adapter, which stands for the API that it reads and writes. */
export type WireName = string;

/** What a request asks for: a reply, only the number of its tokens, or a compaction of the conversation by the provider. */
export type WireOperation = "generate" | "count-tokens" | "compact";

/** What a gateway knows about an API apart from its bodies: where requests go, how agents name sessions, what servers accept. */
export interface WireService {
  readonly name: WireName;
  /** Returns what a request to this path (without the query) asks for, or undefined if such requests hold no conversation. */
  operationOf(path: string): WireOperation | undefined;
  /** Paths of field names that may lead to the list of messages in a body. The first one that leads to a list is used. */
  readonly listPaths: readonly (readonly string[])[];
  readonly upstream: WireUpstream;
  /** How requests name the agent's session. @default they do not name it */
  readonly sessions?: WireSessions;
  /** The documented limits of the API's servers. @default unknown */
  readonly limits?: WireLimits;
  /** Problems of a conversation that the API's servers accept. All others are repaired in requests that the gateway folds. @default none */
  readonly tolerates?: readonly ViewProblemCode[];
  /**
   * Returns the message with common block types in place of the adapter's own types for damaged blocks, so that the damage is recognised: for
   * instance, an output without a call as a `tool_result`. @default returns the message itself
   */
  showDamage?(message: Message): Message;
  /** The API's names in OpenTelemetry's conventions. @default the adapter's name as provider, and "chat" as operation */
  readonly telemetry?: WireTelemetry;
}

/** The server that requests of an API go to. Several adapters may share one. */
export interface WireUpstream {
  readonly name: string;
  /** The base URL that is used unless the configuration sets another. */
  readonly url: string;
  /** Matches paths whose requests always go to this upstream, with a conversation or without. @default none */
  readonly paths?: RegExp;
  /** Headers that only clients of this upstream send. They decide if no adapter and no `paths` claims a request's path. @default none */
  readonly headers?: readonly string[];
  /**
   * Whether many other servers speak this upstream's APIs. It gets requests that no other upstream claims, and none whose path another claims.
   * @default false
   */
  readonly isCommon?: boolean;
  /** Whether a path in the base URL replaces the version in a request's path. @default false: the version is appended to the base URL */
  readonly replacesVersion?: boolean;
}

export interface WireSessions {
  /** Headers that name the session, the most reliable first. They are read on every API, because agents speak several. @default none */
  readonly headers?: readonly SessionHeader[];
  /** The agent whose session a body names. @default a name in a body is only a cache key, which identifies a session less surely */
  readonly bodyAgent?: string;
}

/** A header that holds the name of a session. */
export interface SessionHeader {
  /** In lower case. */
  readonly name: string;
  /** The prefix of the session's name, as in `codex:NAME`. */
  readonly agent: string;
  /** The header that names a sub-agent of the session. */
  readonly subAgent?: string;
  /** The header in which a sub-agent with a session of its own names the session that started it. */
  readonly parent?: string;
}

export interface WireLimits {
  readonly maxBodyBytes?: number;
  readonly maxImages?: number;
}

export interface WireTelemetry {
  readonly provider: string;
  /** @default "chat" */
  readonly operation?: string;
  /** Further attributes of a request's span. @default none */
  readonly attributes?: Readonly<Record<string, string>>;
}

/** Reads and writes an API's requests and replies as they are on the wire. It neither changes nor loses bytes that it has no reason to edit. */
export interface WireAdapter extends WireService {
  /** Reads a request. Returns undefined if it has no conversation, and is to be forwarded unchanged. Never throws. */
  readRequest(request: RawRequest): WireRequest | undefined;
  /**
   * Returns the body of the request with these parts as its conversation. Original parts, and everything outside the conversation, keep their
   * bytes, except where cache breakpoints are added: if `breakpoints` is given and the API has them. @default breakpoints none
   */
  writeRequest(request: WireRequest, parts: readonly WirePart[], breakpoints?: CacheBreakpoints): string;
  /** Returns the body with the reply's limit set to `maxOutputTokens`. Every other byte stays the same. */
  limitReply(body: string, maxOutputTokens: number): string;
  /**
   * Returns a body that also asks the provider why its cache missed, compared with the request that `earlierReplyId` answered. Without an
   * earlier reply, the body is only marked so that later requests can be compared with it. Returns the body unchanged if it asks already, or
   * if the model does not support it.
   * @default the API does not support it
   */
  askCacheDiagnosis?(body: string, earlierReplyId: string | undefined): string;
  /** Creates a follower that reads the usage in one reply, whole or streamed. */
  followReply(): ReplyFollower;
  /** How requests ask the provider to leave out old results and thoughts. @default the API does not support it */
  readonly clearing?: WireClearing | undefined;
  /** How the recall tool is offered, and how its calls are answered. @default the tool is not offered */
  readonly recall?: WireRecall | undefined;
}

/** The breakpoints that are added for the provider's prompt cache. Breakpoints that the agent set stay as they are. */
export interface CacheBreakpoints {
  /** How long system prompt and tools are cached. The conversation is cached for five minutes. */
  readonly promptTtl: "5m" | "1h";
}

export interface RawRequest {
  /** The path of the URL, without the query: Gemini has the model in it. */
  readonly path: string;
  readonly body: string;
  /**
   * The body as parsed JSON, if the caller has it: then it is not parsed again. Items that are the same objects as in an earlier request are
   * not read again either, so these objects must never be changed. @default the adapter parses `body`
   */
  readonly value?: unknown;
  /** Returns the body with a `0` for each item of its conversation that is not needed: cheaper than the text of a long conversation. */
  readonly sparseBody?: (isNeeded: (item: number) => boolean) => string;
}

/** A request that an adapter has read. */
export interface WireRequest {
  readonly raw: RawRequest;
  readonly operation: WireOperation;
  /** Empty if the request names no model. */
  readonly modelId: string;
  readonly isStreaming: boolean;
  /** The reply's limit, or undefined if the request sets none. */
  readonly maxOutputTokens: number | undefined;
  /** The lowest limit that the reply can be given, which includes the budget for thinking. @default 1 */
  readonly leastOutputTokens?: number;
  /** The text before the conversation; used for counting only. */
  readonly systemPrompt: string;
  /** Tool definitions as they are sent; used for counting only. */
  readonly tools: readonly unknown[];
  /** The only tool that the request declares; undefined if it declares none, several, or one without a name. */
  readonly onlyTool?: OnlyTool | undefined;
  /** The conversation. A message may stand for several items of the wire, such as all results of a turn, or reasoning with its call. */
  readonly messages: readonly Message[];
  /**
   * Returns the canonical text of the message at `index`, by which a conversation is recognised when it is sent again. It is equal for messages
   * with the same meaning, whatever their form: without cache breakpoints, with a string equal to one block of text, and keys in any order.
   * It is computed at each call, because the texts of a large conversation would take as much memory as the conversation.
   */
  canonical(index: number): string;
  /** Returns the parsed items of the wire that the message at `index` stands for. */
  items(index: number): readonly unknown[];
  /** For each message, the ids of its tool calls as the agent sent them; without ids that the adapter invented, which recur in every conversation. */
  readonly callIds: readonly (readonly string[])[];
  /** The name of the agent's session, or undefined if the body has none. */
  readonly agentSession: string | undefined;
  /** How long the provider shall keep the unused conversation in its prompt cache, if the request says so. @default the request does not say */
  readonly cacheTtlMs?: number | undefined;
}

export interface OnlyTool {
  readonly name: string;
  /** Whether the reply must call it, as in requests for structured output. */
  readonly isForced: boolean;
}

/** One message of the conversation that is sent upstream. */
export type WirePart =
  /** A message of the request, with its original bytes. */
  | { readonly type: "original"; readonly index: number }
  /** A message of the request with some of its blocks shown as stand-ins. */
  | { readonly type: "folded"; readonly index: number; readonly folds: readonly BlockFold[] }
  /** A message that is not in the request: a summary, or the marker of a truncation. */
  | { readonly type: "stand-in"; readonly message: Message };

/** Reads one reply while it is passed on. */
export interface ReplyFollower {
  /** Takes the next piece of the decoded body, of any size. */
  push(text: string): void;
  /**
   * Returns how far a streamed reply has come: `opening` until its first content, then `speaking`; `failed` if the server reported an error
   * before any content. A reply that is not streamed is always `speaking`.
   */
  stage(): "opening" | "speaking" | "failed";
  /** Returns the failure that a streamed reply reported so far, if any. */
  failure(): ModelFailure | undefined;
  /** Returns the usage that the reply reported so far, if any. */
  usage(): ReportedUsage | undefined;
  /** Returns what else was read in the reply so far. @default the adapter reads nothing else */
  notes?(): ReplyNotes;
}

/** How many of the oldest tool results and thoughts a provider says that it left out of a request. */
export interface ReportedClearing {
  readonly results: number;
  /** The number of messages whose thoughts were left out. */
  readonly thoughts: number;
}

/** How requests of one API ask their provider to leave out old results and thoughts. */
export interface WireClearing {
  /** Whether the request asks the provider to leave content out. */
  isAsked(request: WireRequest): boolean;
  /** Returns the calls whose results the provider left out of the request, and whether it left out their inputs, too. */
  clearedCalls(request: WireRequest, reported: ReportedClearing): Pick<ProviderClearing, "toolUseIds" | "hidesInputs">;
  /** Returns the body without the fields that ask the provider to leave out content of these kinds. */
  keepAll(body: string, kinds: readonly ClearingKind[]): string;
}

/** What a reply says about itself and the provider's own context management. */
export interface ReplyNotes {
  /** The id by which later requests can refer to the reply. */
  readonly id?: string | undefined;
  /** The identities of the provider's own compactions in the reply, by which later requests are recognised: see `compactionIdentity`. */
  readonly compactions: readonly string[];
  /** The usage of making these compactions, if it is billed apart from that of the reply. */
  readonly compactionUsage?: ReportedUsage | undefined;
  /** What the provider left out because the request asked for it. @default nothing */
  readonly cleared?: ReportedClearing | undefined;
  /** The reported reason of a cache miss, if the request asked for it and the cache missed. */
  readonly cacheMiss?: ReportedCacheMiss | undefined;
}
