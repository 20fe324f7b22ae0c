import type { BlockFold, Message } from "../message/message.ts";
import type { ModelFailure } from "../policy/failure-texts.ts";
import type { ReportedUsage } from "../tokens/forecast.ts";

/** The APIs that agents speak. */
export type WireName = "anthropic" | "openai-chat" | "openai-responses" | "gemini";

/** Whether a reply is wanted, or only the size of the prompt. */
export type WireOperation = "generate" | "count-tokens";

/** An API as it is on the wire: what agents send and what they get back. Nothing that is not ours is changed or lost. */
export interface WireAdapter {
  readonly name: WireName;
  /** Undefined where this is no request with a conversation: it is forwarded as it is. Never throws. */
  readRequest(request: RawRequest): WireRequest | undefined;
  /** The body with these parts as its conversation. Everything else, and every part that is an original, is the same bytes. */
  writeRequest(request: WireRequest, parts: readonly WirePart[]): string;
  /** The body of such a request, with a reply of at most so many tokens asked for. Every other byte is the same. */
  limitReply(body: string, maxOutputTokens: number): string;
  /** Follows a reply, whole or streamed, and finds what it reports as used. */
  followReply(): ReplyFollower;
}

export interface RawRequest {
  /** Of the URL, without the query: Gemini has the model in it. */
  readonly path: string;
  readonly body: string;
  /** What `JSON.parse` gives for the body, where that is known already: then it is not parsed again. */
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
}
