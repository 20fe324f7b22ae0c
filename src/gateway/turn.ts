import type { IncomingHttpHeaders } from "node:http";
import type { TooLong } from "../core/policy/too-long.ts";
import type { ReplyFollower, WireName } from "../core/ports/wire-adapter.ts";

/** A request of an agent, as the proxy took it. */
export interface AgentRequest {
  readonly api: WireName;
  /** The path of the URL, without the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** UTF-8; decoded, where it came compressed. */
  readonly body: Buffer;
  /** The origin that it is forwarded to: what is learned about a model holds there. */
  readonly upstream: string;
}

/** Makes turns of requests. */
export interface Turns {
  /**
   * Never rejects: where anything of ours fails, the turn sends the request as it came. Undefined where the request holds no
   * conversation.
   */
  begin(request: AgentRequest): Promise<Turn | undefined>;
}

/** One request with a conversation, from the moment that it came until its reply has ended. */
export interface Turn {
  readonly modelId: string;
  readonly isStreaming: boolean;
  /** What to send; undefined where that is the request as it came, byte for byte. */
  readonly body: string | undefined;
  /** Called once the request body has been handed to the socket. */
  sent(): void;
  /**
   * What the end of a reply waits for; undefined where it waits for nothing. Called when the reply begins. Whatever it resolves or rejects
   * with, the reply goes on.
   */
  beforeEnd(): Promise<void> | undefined;
  /** The headers that the gateway adds to the reply; called once, when the reply begins. */
  headers(): Readonly<Record<string, string>>;
  /**
   * The upstream refused what was sent as too long. Resolves with a shorter body to send instead, or with undefined where there is
   * none: then the refusal is passed on.
   */
  shorten(refusal: Refusal): Promise<string | undefined>;
  /** Gets the whole body of the reply, decoded. */
  readonly follower: ReplyFollower;
  /** Answers calls of the recall tool within the reply to what was sent last; undefined where the tool is not offered in it. */
  readonly loop?: ReplyLoop | undefined;
  /** Called once, when the exchange is over, however it ended. */
  end(outcome: TurnOutcome): void;
}

/** Makes one reply of several: some of them ask for what is to be answered upstream. */
export interface ReplyLoop {
  /** Takes a piece of a reply, decoded, and gives what the client gets now. */
  push(text: string): string;
  /** Called at the end of a reply. Never rejects. */
  end(): Promise<NextStep>;
  /** What ends a stream whose next request was refused with this body; undefined where nothing was passed on yet. */
  fail(body: string): string | undefined;
}

/** What follows a reply: nothing but the rest that the client gets, or another request. */
export type NextStep =
  | { readonly type: "done"; readonly text: string }
  | { readonly type: "ask"; readonly body: string };

/** What an upstream says that was too long. */
export type Refusal =
  | Omit<TooLong & { readonly isTooLong: true }, "isTooLong">
  /** The reply's allowance alone is more than the window. */
  | { readonly by: "reply"; readonly limitTokens: number };

export interface TurnOutcome {
  /** The upstream's status; undefined where it never answered. */
  readonly status: number | undefined;
  /** Whether the whole reply was passed on. */
  readonly isComplete: boolean;
}

/** Stands for the follower where a reply cannot be followed: it knows nothing of any. */
export const NO_FOLLOWER: ReplyFollower = {
  push: () => {},
  stage: () => "speaking",
  failure: () => undefined,
  usage: () => undefined,
};
