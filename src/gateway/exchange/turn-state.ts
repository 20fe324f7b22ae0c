import type { ClearingState } from "../../engine/session/provider-clearing.ts";
import type { IncomingRequest } from "../match/incoming-request.ts";
import type { RecallLoop } from "../recall/recall-loop.ts";
import type { RecalledReplies } from "../recall/recalled-replies.ts";
import type { Conversation, SessionLease } from "../sessions/session-pool.ts";
import type { ScratchPorts, Target } from "./fold-turn.ts";
import type { FileKeeper } from "./keep-files.ts";
import type { OutgoingRequest } from "./outgoing-request.ts";
import type { RecordPorts } from "./record.ts";

/** The session that a request was recorded in. */
export interface SettledSession {
  readonly conversation: Conversation;
  /** Undefined where the request is only the beginning of what the session holds. */
  readonly lease: SessionLease | undefined;
  /** The version right before the person's turn that it begins. @default it begins none */
  readonly turnVersion?: number | undefined;
}

/** How a request is first sent. */
export interface TurnStart {
  readonly outgoing: OutgoingRequest;
  /** The session that it belongs to; undefined where it belongs to none. */
  readonly conversation: Conversation | undefined;
  /** The session that a request which only counts tokens would belong to. @default none */
  readonly countedFor?: Conversation | undefined;
  /** Writes the request to a log, and gives its session; undefined where that is done, or never will be. */
  readonly recordIt: (() => Promise<SettledSession | undefined>) | undefined;
  /** What it holds of that session; undefined where it is not recorded yet. */
  readonly lease?: SessionLease | undefined;
  /** How its session stands to it: what is sent is its view, its log at least holds it, or it has none. */
  readonly recordedAs: "view" | "log" | "none";
  /** The version right before the person's turn that it begins, where it is recorded. @default it begins none */
  readonly turnVersion?: number | undefined;
  /** The model's tokens for one of ours, where a request is folded for itself by what its session knows. */
  readonly tokenRatio?: number | undefined;
}

export interface TurnContext extends TurnStart, Target {
  readonly incoming: IncomingRequest;
  /** The request as the agent sent it, where replies in it were expanded. @default `incoming` */
  readonly asSent?: IncomingRequest | undefined;
  readonly startedAt: number;
  /** What the provider leaves out of the session's requests; undefined where this one does not ask for it, unless it had to be known whether it ever did. */
  readonly clearing?: ClearingState | undefined;
}

export interface TurnPorts extends RecordPorts, ScratchPorts {
  /** Called with what failed, and never with content. */
  readonly incident: (what: string, error: unknown) => void;
  /** Whether the bodies of answered requests are kept. @default true */
  readonly keepsBodies?: boolean | undefined;
  /** Keeps files as they are when a person speaks. @default nobody does */
  readonly files?: FileKeeper | undefined;
  /** The replies in which calls of the recall tool were answered, where it is offered. @default it is not offered */
  readonly recalled?: RecalledReplies | undefined;
}

/** How far a turn has come: what was sent last, and the session that it belongs to by now. */
export interface TurnState {
  outgoing: OutgoingRequest;
  conversation: Conversation | undefined;
  recordedAs: TurnStart["recordedAs"];
  /** The folds that were made for any of the bodies that were sent. */
  newFoldIds: readonly string[];
  retries: number;
  /** What the body that was sent last asks for as its reply's allowance; undefined where that is as it came. */
  replyTokens: number | undefined;
  isEnded: boolean;
  /** The recall tool's part in the reply; undefined where it was not offered in what was sent last. */
  loop: RecallLoop | undefined;
  /** Known when the request is recorded. */
  turnVersion: number | undefined;
  /** Writes the request to its log, where that is still to be done. */
  recordOnce(): Promise<void> | undefined;
  /** The request may turn out to belong to another session: the lease on the one before is disposed of. */
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
