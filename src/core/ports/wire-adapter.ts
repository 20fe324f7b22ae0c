import type { ClearingKind, ProviderClearing } from "../history/provider-clearing.ts";
import type { BlockFold, Message } from "../message/message.ts";
import type { ViewProblemCode } from "../message/validate-view.ts";
import type { ModelFailure } from "../policy/failure-texts.ts";
import type { ReportedCacheMiss } from "../statement/cache-diagnosis.ts";
import type { ReportedUsage } from "../tokens/forecast.ts";
import type { WireRecall } from "./wire-recall.ts";

/** An API that agents speak, by the name of its adapter. */
export type WireName = string;

/** Whether a reply is wanted, only the size of the prompt, or that the provider compacts the conversation. */
export type WireOperation = "generate" | "count-tokens" | "compact";

/** What a gateway has to know of an API beside its bodies: where requests go, and what their servers and agents are like. */
export interface WireService {
  readonly name: WireName;
  /** What a request to this path asks for; undefined where it holds no conversation. The path is without the query. */
  operationOf(path: string): WireOperation | undefined;
  /** The names of the fields that lead to the list of a body's messages. Of several ways, the first that leads to a list counts. */
  readonly listPaths: readonly (readonly string[])[];
  readonly upstream: WireUpstream;
  /** How agents name their sessions. @default not at all */
  readonly sessions?: WireSessions;
  /** What servers take at most, where that is documented. @default nothing is known */
  readonly limits?: WireLimits;
  /** Damage in a conversation that its servers take as it is; in a request that we fold, all other damage is mended. @default none */
  readonly tolerates?: readonly ViewProblemCode[];
  /** A message in which damage that this adapter reads as a block of its own is the block that it would be elsewhere. @default the message itself */
  showDamage?(message: Message): Message;
  /** What OpenTelemetry's conventions call it. @default its name, and operations named "chat" */
  readonly telemetry?: WireTelemetry;
}

/** Where the requests of an API go. Several adapters may have the same one. */
export interface WireUpstream {
  readonly name: string;
  /** Its base URL, unless someone says otherwise. */
  readonly url: string;
  /** Paths that are always its own, with a conversation or without. @default none */
  readonly paths?: RegExp;
  /** Headers that only its clients send: they tell whose a path is that several have. @default none */
  readonly headers?: readonly string[];
  /**
   * Whether many servers speak its APIs: what nobody else claims is its, and what is another's by its path is none of its.
   * @default false
   */
  readonly isCommon?: boolean;
  /** Whether the path of a base URL takes the place of the version that a client says. @default false: the version follows it */
  readonly replacesVersion?: boolean;
}

export interface WireSessions {
  /** The surest first. They count on every API: agents speak several. @default none */
  readonly headers?: readonly SessionHeader[];
  /** The agent whose session a body names; without one, what bodies name is a key for caches, which says less. */
  readonly bodyAgent?: string;
}

/** A header that holds the name of a session. */
export interface SessionHeader {
  /** In lower case. */
  readonly name: string;
  /** Comes before the name, as in `codex:NAME`. */
  readonly agent: string;
  /** A header that names a sub-agent of the session. */
  readonly subAgent?: string;
  /** A header by which a sub-agent with a session of its own names the session that started it. */
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
  /** More of what a span says. @default nothing */
  readonly attributes?: Readonly<Record<string, string>>;
}

/** An API as it is on the wire: what agents send and what they get back. Nothing that is not ours is changed or lost. */
export interface WireAdapter extends WireService {
  /** Undefined where this is no request with a conversation: it is forwarded as it is. Never throws. */
  readRequest(request: RawRequest): WireRequest | undefined;
  /**
   * The body with these parts as its conversation. Everything else, and every part that is an original, is the same bytes, but for marks for
   * the provider's cache, where some are asked for and the API has them. @default no marks
   */
  writeRequest(request: WireRequest, parts: readonly WirePart[], breakpoints?: CacheBreakpoints): string;
  /** The body of such a request, with a reply of at most so many tokens asked for. Every other byte is the same. */
  limitReply(body: string, maxOutputTokens: number): string;
  /**
   * The body, which also asks why the provider's cache missed since the request of an earlier reply; without one, so that later ones can be
   * compared with it. The same body where it asks already, or the model has no such thing. @default the API has none
   */
  askCacheDiagnosis?(body: string, earlierReplyId: string | undefined): string;
  /** Follows a reply, whole or streamed, and finds what it reports as used. */
  followReply(): ReplyFollower;
  /** How the provider is asked to leave out old results and thoughts. @default it cannot be */
  readonly clearing?: WireClearing | undefined;
  /** How the recall tool is offered, and its calls answered. @default it is not */
  readonly recall?: WireRecall | undefined;
}

/** Which marks for the provider's prompt cache to add. Those that the agent set stay as they are. */
export interface CacheBreakpoints {
  /** How long what stands before the conversation is to be kept: system prompt and tools. The conversation is kept for five minutes. */
  readonly promptTtl: "5m" | "1h";
}

export interface RawRequest {
  /** Of the URL, without the query: Gemini has the model in it. */
  readonly path: string;
  readonly body: string;
  /**
   * What `JSON.parse` gives for the body, where that is known already: then it is not parsed again. Items that are the same objects as in an
   * earlier request are not read again either: they must not be changed.
   */
  readonly value?: unknown;
  /** The body with a `0` for each item of its conversation that is not needed: of a long one, most may be left out. */
  readonly sparseBody?: (isNeeded: (item: number) => boolean) => string;
}

/** A request that was read. */
export interface WireRequest {
  readonly raw: RawRequest;
  readonly operation: WireOperation;
  /** Empty where the request names none. */
  readonly modelId: string;
  readonly isStreaming: boolean;
  /** The reply's allowance, where the request names one. */
  readonly maxOutputTokens: number | undefined;
  /** The least that the reply's allowance can be: thinking has its budget in it. @default 1 */
  readonly leastOutputTokens?: number;
  /** What stands before the conversation, as text: only counted. */
  readonly systemPrompt: string;
  /** Tool definitions as they are sent: only counted. */
  readonly tools: readonly unknown[];
  /** Where exactly one tool is declared, and has a name. */
  readonly onlyTool?: OnlyTool | undefined;
  /** The conversation. A message may stand for several items of the wire: a call's results, or reasoning with the call it led to. */
  readonly messages: readonly Message[];
  /**
   * A text for the message at `index`, equal for messages that say the same, however they are written: marks for caches are left
   * out, a string equals one block of text, the order of keys does not count. To recognise a conversation that is sent again. Made
   * anew each time: of a large conversation, all texts together would be as large again.
   */
  canonical(index: number): string;
  /** The items of the wire that the message at `index` stands for, as they were parsed. */
  items(index: number): readonly unknown[];
  /** For each message, the ids of the calls that it makes, as far as the agent sent them: ids of ours occur in every conversation. */
  readonly callIds: readonly (readonly string[])[];
  /** How the body names the agent's session, where it does. */
  readonly agentSession: string | undefined;
  /** How long the provider is asked to keep the conversation in its prompt cache while nobody uses it. @default nothing is asked */
  readonly cacheTtlMs?: number | undefined;
}

export interface OnlyTool {
  readonly name: string;
  /** Whether the reply must call it: a way to ask for an answer of a certain form. */
  readonly isForced: boolean;
}

/** One message of the conversation that is sent on. */
export type WirePart =
  /** A message of the request, as it came. */
  | { readonly type: "original"; readonly index: number }
  /** A message of the request with some of its blocks shown as stand-ins. */
  | { readonly type: "folded"; readonly index: number; readonly folds: readonly BlockFold[] }
  /** A summary, or a marker. */
  | { readonly type: "stand-in"; readonly message: Message };

export interface ReplyFollower {
  /** Bytes of the body as they come, decoded; in pieces of any size. */
  push(text: string): void;
  /**
   * How far a streamed reply has come: `opening` while it has said nothing but that it began, `failed` where the server then gave
   * up. A reply that is not streamed is `speaking`.
   */
  stage(): "opening" | "speaking" | "failed";
  /** What a streamed reply that failed says about it. */
  failure(): ModelFailure | undefined;
  /** What was reported so far; undefined where nothing was. */
  usage(): ReportedUsage | undefined;
  /** What else the reply said about itself so far. @default nothing is known */
  notes?(): ReplyNotes;
}

/** How many results and thoughts a provider left out of a request, the oldest ones. */
export interface ReportedClearing {
  readonly results: number;
  /** Messages whose thoughts were left out. */
  readonly thoughts: number;
}

/** How requests of one API ask their provider to leave out old results and thoughts. */
export interface WireClearing {
  /** Whether a request asks for it. */
  isAsked(request: WireRequest): boolean;
  /** The calls whose results were left out of a request, and whether what they were made with was, too. */
  clearedCalls(request: WireRequest, reported: ReportedClearing): Pick<ProviderClearing, "toolUseIds" | "hidesInputs">;
  /** The body that asks for it no longer, for things of these kinds. */
  keepAll(body: string, kinds: readonly ClearingKind[]): string;
}

/** What a reply says about itself and the provider's own context management. */
export interface ReplyNotes {
  /** By which later requests can name it. */
  readonly id?: string | undefined;
  /** What the provider's own compactions in it are known by when they come back: see `compactionIdentity`. */
  readonly compactions: readonly string[];
  /** What making these compactions took, where that is billed beside the usage. */
  readonly compactionUsage?: ReportedUsage | undefined;
  /** What the provider left out of what was sent, as the request asks it to. @default nothing */
  readonly cleared?: ReportedClearing | undefined;
  /** Why the provider says that its cache missed, where it was asked and says that it did. */
  readonly cacheMiss?: ReportedCacheMiss | undefined;
}
