import type { IncomingHttpHeaders } from "node:http";
import type { TooLong } from "../core/policy/too-long.ts";
import type { ReplyFollower, WireName } from "../core/ports/wire-adapter.ts";

/** A request of an agent, as the proxy received it. */
export interface AgentRequest {
  readonly api: WireName;
  /** The path of the URL, without the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** UTF-8, decompressed if it came compressed. */
  readonly body: Buffer;
  /** The origin that the request is forwarded to: limits of models are learned per origin. */
  readonly upstream: string;
}

/** Starts the turns of requests. */
export interface Turns {
  /**
   * Starts the turn of a request; resolves with undefined where the request holds no conversation. Never rejects: if a step of the gateway fails,
   * the turn does without that step, and at worst sends the request unchanged.
   */
  begin(request: AgentRequest): Promise<Turn | undefined>;
}

/** A request with a conversation, from its arrival until its reply has ended. */
export interface Turn {
  readonly modelId: string;
  readonly isStreaming: boolean;
  /** The body to send; undefined where the request is sent unchanged, byte for byte. */
  readonly body: string | undefined;
  /** Called once the request body has been handed to the socket. */
  sent(): void;
  /**
   * Called when the reply begins. The end of the reply waits until the promise has settled, in success or failure; undefined where it need not
   * wait.
   */
  beforeEnd(): Promise<void> | undefined;
  /** The headers that the gateway adds to the reply; called once, when the reply begins. */
  headers(): Readonly<Record<string, string>>;
  /**
   * Called when the upstream refused the request as too long. Resolves with a shorter body to send instead, or with undefined where there is
   * none: then the refusal is passed on to the client.
   */
  shorten(refusal: Refusal): Promise<string | undefined>;
  /** Must be given the whole body of the reply, decoded, piece by piece. */
  readonly follower: ReplyFollower;
  /** Answers calls of the recall tool within the reply; undefined where the body that was sent last does not offer the tool. */
  readonly loop?: ReplyLoop | undefined;
  /** Called once, when the exchange is over, however it ended. */
  end(outcome: TurnOutcome): void;
}

/** Joins several upstream replies into the one that the client gets: after a reply with calls of the recall tool, another request is sent. */
export interface ReplyLoop {
  /** Takes a piece of a reply, decoded, and returns the text to pass on to the client now. */
  push(text: string): string;
  /** Called at the end of each reply. Never rejects. */
  end(): Promise<NextStep>;
  /** The body to send after the next request was refused as too long: without the recalled content; undefined where that is left out already. */
  shorten(): string | undefined;
  /** The text that ends the client's stream after the next request was refused with this body; undefined where nothing was passed on yet. */
  fail(body: string): string | undefined;
}

/** What to do after a reply: pass the rest of the text on to the client, or send another request. */
export type NextStep =
  | { readonly type: "done"; readonly text: string }
  | { readonly type: "ask"; readonly body: string };

/** The upstream's reason for refusing a request as too long. */
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

/** The follower of a reply that cannot be read: it reports nothing. */
export const NO_FOLLOWER: ReplyFollower = {
  push: () => {},
  stage: () => "speaking",
  failure: () => undefined,
  usage: () => undefined,
};
