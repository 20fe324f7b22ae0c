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
  /** Undefined where nothing could be sent instead: then nothing is held. */
  readonly turn: Turn | undefined;
  /** Undefined where there is no turn. */
  readonly follower: ReplyFollower | undefined;
  readonly report: ReportIncident;
  /** Called when the upstream refused the request as too long, and nothing of the reply was written to the client yet. */
  readonly onTooLong: (refusal: Refusal) => void;
}

/** A reply that is held back for as long as it may be a refusal. */
export interface HeldReply {
  /** Whether all of it is held, for it is not streamed. */
  readonly holdsAll: boolean;
  /** Called when more of the reply came. */
  onData(): void;
  /** Called when more of the reply was pushed to the turn's follower. */
  onFollowed(): void;
  /** Called when nothing more is pushed to the follower: when the content of the stream begins cannot be seen any more. */
  lost(): void;
  /** Called when the reply came to its end; `followed` resolves when all of it was pushed to the follower. */
  ended(followed: Promise<void>): void;
  /** Writes the reply to the client. */
  release(): void;
  /** Ends the examination; nothing is released. */
  stop(): void;
}

/**
 * How long a stream that has only opened is held back: what fails until then can still be sent again. Refusals come seconds after the
 * opening. The client meanwhile sees a connection on which nothing comes: those who give up on such a one begin to do so at 30 seconds
 * (Heroku's router; nginx and AWS at 60), and it has waited for the upstream's head before.
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

  /** Never rejects. */
  async function examineAnswer(): Promise<void> {
    try {
      const refusal = await refusalOf(head, writer.held());
      if (refusal === undefined) release();
      else refuse(refusal);
    } catch (error) {
      report("reading a refusal", error);
      release();
    }
  }

  function examineStage(): void {
    const stage = follower?.stage();
    if (stage === "opening") return;
    const failure = stage === "failed" ? follower?.failure() : undefined;
    const refusal = failure && readRefusal(failure);
    if (refusal === undefined) release();
    else refuse(refusal);
  }

  function refuse(refusal: Refusal): void {
    stop();
    onTooLong(refusal);
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
        examineStage();
      } catch (error) {
        report("following a reply", error);
        release();
      }
    },
    lost: () => {
      if (examination === "opening") release();
    },
    ended: (followed) => {
      if (examination === "refusal") void examineAnswer();
      if (examination === "opening") void followed.then(() => examination === "opening" && release());
    },
  };
}
