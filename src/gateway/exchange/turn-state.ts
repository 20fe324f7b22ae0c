import type { ReplyFollower } from "../../core/ports/wire-adapter.ts";
import type { ClearingState } from "../../engine/session/provider-clearing.ts";
import type { IncomingRequest } from "../match/incoming-request.ts";
import type { RecallLoop } from "../recall/recall-loop.ts";
import type { RecalledReplies } from "../recall/recalled-replies.ts";
import type { Conversation, SessionLease } from "../sessions/session-pool.ts";
import { NO_FOLLOWER } from "../turn.ts";
import type { ScratchPorts, Target } from "./fold-turn.ts";
import type { FileKeeper } from "./keep-files.ts";
import type { OutgoingRequest } from "./outgoing-request.ts";
import type { RecordPorts } from "./record.ts";

/** The session that a request was recorded in. */
export interface SettledSession {
  readonly conversation: Conversation;
  /** Undefined where the log already held a longer conversation that begins with the request. */
  readonly lease: SessionLease | undefined;
  /** The session's version right before the person's turn that the request begins. @default the request begins none */
  readonly turnVersion?: number | undefined;
}

/** What is sent upstream first for a request, and the session that the request belongs to. */
export interface TurnStart {
  readonly outgoing: OutgoingRequest;
  /** Undefined where the request belongs to no session. */
  readonly conversation: Conversation | undefined;
  /** The session that a request which only counts tokens would belong to. @default none */
  readonly countedFor?: Conversation | undefined;
  /** Writes the request to its session's log, and resolves with the session; undefined where it is written already, or never will be. */
  readonly recordIt: (() => Promise<SettledSession | undefined>) | undefined;
  /** The request's lease on that session; undefined where the request is not recorded yet. */
  readonly lease?: SessionLease | undefined;
  /** "view": the session's view is sent. "log": the request is in the session's log, or will be. "none": it is not recorded. */
  readonly recordedAs: "view" | "log" | "none";
  /** The session's version right before the person's turn that a recorded request begins. @default the request begins none */
  readonly turnVersion?: number | undefined;
  /** How many tokens the model counts for one of ours, by what the session learned; for a request that is folded on its own. */
  readonly tokenRatio?: number | undefined;
}

export interface TurnContext extends TurnStart, Target {
  readonly incoming: IncomingRequest;
  /** The request as the agent sent it, where `incoming` has recalled content that the agent left out of its replies. @default `incoming` */
  readonly asSent?: IncomingRequest | undefined;
  readonly startedAt: number;
  /** Which calls the provider clears from the session's requests; undefined where that was not looked up. */
  readonly clearing?: ClearingState | undefined;
}

export interface TurnPorts extends RecordPorts, ScratchPorts {
  /** Called with the name of the step that failed and its error; neither holds content of a request. */
  readonly incident: (what: string, error: unknown) => void;
  /** Whether the bodies of answered requests are kept. @default true */
  readonly keepsBodies?: boolean | undefined;
  /** Saves the workspace's files when a person's turn begins. @default no files are saved */
  readonly files?: FileKeeper | undefined;
  /** The replies in which calls of the recall tool were answered. @default the recall tool is not offered */
  readonly recalled?: RecalledReplies | undefined;
}

/** The changing state of a turn: what was sent last, and the session that the request belongs to by now. */
export interface TurnState {
  outgoing: OutgoingRequest;
  /** The body that was sent last; undefined where the agent's own bytes were sent. */
  sentBody: string | undefined;
  /** Follows the reply to what was sent last. */
  follower: ReplyFollower;
  conversation: Conversation | undefined;
  recordedAs: TurnStart["recordedAs"];
  /** The ids of all folds that were made for this turn, retries included. */
  newFoldIds: readonly string[];
  retries: number;
  /** The reply's allowance in the body that was sent last, where the gateway lowered it; else undefined. */
  replyTokens: number | undefined;
  isEnded: boolean;
  /** Answers calls of the recall tool within the reply; undefined where the body that was sent last does not offer the tool. */
  loop: RecallLoop | undefined;
  /** The session's version right before the person's turn that the request begins; set when the request is recorded. */
  turnVersion: number | undefined;
  /** Writes the request to its log on the first call; later calls give the same promise. Undefined where there is nothing to write. */
  recordOnce(): Promise<void> | undefined;
  /** Moves the turn to the session that its request was recorded in, and disposes of the lease on the previous one. */
  moveTo(settled: SettledSession): void;
  /** Called when the turn is over: disposes of its lease. */
  dispose(): void;
}

export function startState({ recordIt, ...start }: TurnContext, { pool }: TurnPorts): TurnState {
  let recorded: Promise<void> | undefined;
  let { lease } = start;
  let isDisposed = false;
  const state: TurnState = {
    outgoing: start.outgoing,
    sentBody: undefined,
    follower: NO_FOLLOWER,
    conversation: start.conversation,
    recordedAs: start.recordedAs,
    newFoldIds: start.outgoing.newFoldIds,
    retries: 0,
    replyTokens: undefined,
    isEnded: false,
    loop: undefined,
    turnVersion: start.turnVersion,
    recordOnce: () => {
      if (recorded !== undefined || recordIt === undefined) return recorded;
      recorded = recordIt().then((settled) => {
        if (settled === undefined) return;
        state.turnVersion = settled.turnVersion;
        state.moveTo(settled);
      });
      pool.track(recorded, "writing");
      return recorded;
    },
    moveTo: (settled) => {
      if (settled.lease !== lease) lease?.dispose();
      lease = settled.lease;
      state.conversation = settled.conversation;
      if (isDisposed) lease?.dispose();
    },
    dispose: () => {
      isDisposed = true;
      lease?.dispose();
    },
  };
  return state;
}

/** Runs a step whose failure must not fail the turn: if it throws, an incident is reported and `otherwise` is returned. */
export function safely<Value>(
  what: string,
  run: () => Value,
  { otherwise, ports }: { readonly otherwise: Value; readonly ports: Pick<TurnPorts, "incident"> },
): Value {
  try {
    return run();
  } catch (error) {
    ports.incident(what, error);
    return otherwise;
  }
}
