import type { WireRequest } from "./wire-adapter.ts";

/** Edits an API's requests and replies so that a gateway can offer the recall tool in an agent's requests and answer the tool's calls itself. */
export interface WireRecall {
  /**
   * Adds the recall tool as the last tool of `body`, the body that is sent for `request`; every other byte stays the same. Returns undefined
   * if the tool cannot be offered: the agent has a tool of that name, or the reply could not be continued after a call.
   */
  offer(body: string, request: WireRequest): string | undefined;
  /** The tool definition that `offer` adds; used for counting only. */
  readonly definition: unknown;
  /** Returns the body with items appended to its conversation. Every other byte stays the same. */
  extend(body: string, items: readonly string[]): string;
  /** Returns the body with tool calls forbidden in the reply. */
  forbidCalls(body: string): string;
  /** Returns the items that answer calls of the recall tool, for a reply that calls no other tool. */
  results(results: readonly RecallResult[]): readonly string[];
  /** The item that ends a turn whose last recall calls were not followed by another reply: a line of text that says so. */
  readonly unansweredLine: string;
  /** Returns the body of the request with the messages at these indexes replaced by the exchanges that they stand for. */
  expand(request: WireRequest, replies: ReadonlyMap<number, RecalledReply>): string;
  /** Creates a relay that merges several replies into the one that the client gets, without the calls of the recall tool. */
  relay(): ReplyRelay;
}

/** A call of the recall tool. */
export interface RecallCall {
  /** Empty if the API has no call ids. */
  readonly id: string;
  /** The arguments: an object, or its JSON text, as the API has it. */
  readonly input: unknown;
}

export interface RecallResult {
  readonly id: string;
  readonly text: string;
}

/** The exchange that a merged reply stands for: the replies with their recall calls, and the results of these calls. */
export interface RecalledReply {
  /** Items of the API as JSON texts: replies, and results of the recall tool between them. */
  readonly items: readonly string[];
  /** Results of the last reply's recall calls, if it also called the agent's tools: they belong in the next message, beside the agent's results. */
  readonly results: readonly RecallResult[];
}

/** Takes replies one after the other, whole or streamed, and returns the text to send to the client as one reply. */
export interface ReplyRelay {
  /**
   * Takes a piece of the reply, of any size, and returns the text to send to the client now. Until the recall tool is called, that is everything
   * of a streamed reply, except an event that is not complete yet. For a reply that is not streamed, it is empty until `close`.
   */
  push(text: string): string;
  /** Ends the current reply and returns what was read in it. The next piece belongs to another reply. */
  end(): RelayedReply;
  /** Returns the last text for the client; called after the last `end`. */
  close(): string;
  /**
   * Like `close`, for a reply whose recall calls can get no further reply: a line of text replaces these calls. Without it, the client might
   * get a reply without any text, which the provider would refuse when the agent sends it back.
   */
  abandon(): string;
  /** Returns the items of the merged reply so far, as the client will repeat them in its next request. */
  visible(): readonly string[];
  /** Returns the text that ends a stream with an error of this body, or undefined if nothing was sent to the client yet. */
  fail(body: string): string | undefined;
}

export interface RelayedReply {
  /** The calls of the recall tool, in order; without those that cannot be answered. */
  readonly calls: readonly RecallCall[];
  /** Whether this is the last reply: it also calls other tools, or has no recall call that can be answered. */
  readonly isOver: boolean;
  /** Whether the reply came to its end, and did not break off. */
  readonly isWhole: boolean;
  /** The items of the reply, as the next request repeats them. */
  readonly items: readonly string[];
}
