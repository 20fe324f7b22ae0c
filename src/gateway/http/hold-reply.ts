import type { ReplyFollower } from "../../core/ports/wire-adapter.ts";
import type { Refusal, Turn } from "../turn.ts";
import type { ReportIncident } from "./incidents.ts";
import {
  type Examination,
  examinationOf,
  MOST_OPENING_BYTES,
  MOST_REFUSAL_BYTES,
  readRefusal,
  refusalOf,
} from "./refusal.ts";
import type { ReplyWriter } from "./reply-writer.ts";
import type { ReplyHead } from "./send-upstream.ts";

export interface HoldOptions {
  readonly writer: ReplyWriter;
  readonly head: ReplyHead;
  /** Undefined if no shorter request may be sent: then nothing is held back. */
  readonly turn: Turn | undefined;
  /** Undefined if the request has no turn. */
  readonly follower: ReplyFollower | undefined;
  readonly report: ReportIncident;
  /** Called when the upstream refused the request as too long, and nothing of the reply was written to the client yet. */
  readonly onTooLong: (refusal: Refusal) => void;
}

/** Holds a reply back for as long as it may be a refusal of the request as too long. */
export interface HeldReply {
  /** Whether the reply is held back to its end: its status is that of an error. */
  readonly holdsAll: boolean;
  /** Called after a piece of the reply was written to the writer. */
  onData(): void;
  /** Called after a piece of the reply was pushed to the turn's follower. */
  onFollowed(): void;
  /** Called when nothing more is pushed to the follower, which therefore cannot say when the stream's content begins. */
  lost(): void;
  /** Called at the end of the reply; `followed` resolves when all of it was pushed to the follower. */
  ended(followed: Promise<void>): void;
  /** Ends the examination and writes the reply to the client. */
  release(): void;
  /** Ends the examination without writing what is held back. */
  stop(): void;
}

/**
 * How long a stream without content is held back: a request that fails in that time can still be sent again, and refusals come seconds after
 * the stream has opened. The client meanwhile sees a silent connection, after having waited for the upstream's head already. The shortest
 * known timeout for a silent connection is 30 seconds (Heroku's router; nginx and AWS have 60).
 */
const LONGEST_HOLD_MS = 20_000;

export function holdReply(options: HoldOptions): HeldReply {
  const { writer, head, turn, follower, report, onTooLong } = options;
  let examination: Examination = turn === undefined ? "none" : examinationOf(head, turn);
  const holdsAll = examination === "refusal";
  const timer = examination === "opening" ? setTimeout(release, LONGEST_HOLD_MS) : undefined;
  if (examination === "none") writer.release();

  function stop(): void {
    examination = "none";
    clearTimeout(timer);
  }

  function release(): void {
    stop();
    writer.release();
  }

  function conclude(refusal: Refusal | undefined): void {
    if (refusal === undefined) {
      release();
      return;
    }
    stop();
    onTooLong(refusal);
  }

  function giveUp(what: string, error: unknown): void {
    report(what, error);
    release();
  }

  return {
    holdsAll,
    release,
    stop,
    onData: () => {
      if (examination === "none") return;
      const mostBytes = examination === "refusal" ? MOST_REFUSAL_BYTES : MOST_OPENING_BYTES;
      if (writer.heldBytes() > mostBytes) release();
    },
    onFollowed: () => {
      if (examination !== "opening") return;
      try {
        if (follower?.stage() !== "opening") conclude(refusalInStream(follower));
      } catch (error) {
        giveUp("following a reply", error);
      }
    },
    lost: () => {
      if (examination === "opening") release();
    },
    ended: (followed) => {
      if (examination === "refusal")
        void refusalOf(head, writer.held())
          .then(conclude)
          .catch((error) => giveUp("reading a refusal", error));
      if (examination === "opening") void followed.then(() => examination === "opening" && release());
    },
  };
}

/** Returns the refusal that a stream reported before its content began; undefined if its content has begun, or if it failed for another reason. */
function refusalInStream(follower: ReplyFollower | undefined): Refusal | undefined {
  const failure = follower?.stage() === "failed" ? follower.failure() : undefined;
  return failure && readRefusal(failure);
}
