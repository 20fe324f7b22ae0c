import type { WireRequest } from "./wire-adapter.ts";

/** What a gateway needs of an API to offer the recall tool in requests of others, and to answer its calls itself. */
export interface WireRecall {
  /**
   * The body, which is made of this request, with the recall tool as the last of its tools; undefined where it cannot be offered: the agent has
   * a tool of that name, or asks for what cannot be continued. Every other byte is the same.
   */
  offer(body: string, request: WireRequest): string | undefined;
  /** What `offer` adds, for counting. */
  readonly definition: unknown;
  /** The body with these items at the end of its conversation. Every other byte is the same. */
  extend(body: string, items: readonly string[]): string;
  /** The body with all calls forbidden in the next reply. */
  forbidCalls(body: string): string;
  /** The items that answer calls where no others were made beside them. */
  results(results: readonly RecallResult[]): readonly string[];
  /** The item of the line that ends a turn whose last calls got no reply. */
  readonly unansweredLine: string;
  /** The body of a request with what was really said in place of some of its messages, by their index. */
  expand(request: WireRequest, replies: ReadonlyMap<number, RecalledReply>): string;
  /** Passes the replies to one request on to the client, as one reply without calls of the recall tool. */
  relay(): ReplyRelay;
}

/** A call of the recall tool. */
export interface RecallCall {
  /** Empty where the API has none. */
  readonly id: string;
  /** An object, or a text of JSON. */
  readonly input: unknown;
}

export interface RecallResult {
  readonly id: string;
  readonly text: string;
}

/** What was really said in place of a reply as the agent has it. */
export interface RecalledReply {
  /** JSON, as the API takes it: replies, and results of the recall tool in between. */
  readonly items: readonly string[];
  /** Results that belong beside those of the agent's own tools, in the message after it. */
  readonly results: readonly RecallResult[];
}

/** Takes replies as they come, one after the other, whole or streamed. */
export interface ReplyRelay {
  /**
   * Takes a piece of the reply, of any size, and gives what the client gets now. Until the recall tool is called, that is all of it, byte for
   * byte, but for an event that has no end yet; of a reply that is not streamed, nothing.
   */
  push(text: string): string;
  /** Called at the end of a reply. The next piece is of another reply. */
  end(): RelayedReply;
  /** What the client gets last, after the last `end`. */
  close(): string;
  /**
   * The same where another reply cannot follow: a line of text stands in place of the last calls, and the reply seems to end there. A reply
   * without any text would be refused when the agent sends it back.
   */
  abandon(): string;
  /** The items of all that the client gets, as it will repeat them. */
  visible(): readonly string[];
  /** What a client gets whose stream cannot go on, with the body of the error; undefined where nothing was passed on yet. */
  fail(body: string): string | undefined;
}

export interface RelayedReply {
  /** The calls of the recall tool that can be answered, in order. */
  readonly calls: readonly RecallCall[];
  /** Whether the agent is to act or read now: other tools are called too, or no call can be answered. */
  readonly isOver: boolean;
  /** Whether the reply came to its end. */
  readonly isWhole: boolean;
  /** The items of the reply, as the next request repeats them. */
  readonly items: readonly string[];
}
