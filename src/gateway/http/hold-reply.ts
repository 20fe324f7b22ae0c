import type { ReplyFollower } from "../../core/ports/wire-adapter.ts";
import type { Refusal } from "../turn.ts";
import type { ReportIncident } from "./incidents.ts";
import type { Outlet } from "./outlet.ts";
import {
  type Conversation,
  type Examination,
  examinationOf,
  MOST_REFUSAL_BYTES,
  readRefusal,
  refusalOf,
} from "./refusal.ts";
import type { ReplyHead } from "./send-upstream.ts";

export interface HoldOptions {
  readonly outlet: Outlet;
  readonly head: ReplyHead;
  /** Undefined where nothing could be sent instead: then nothing is held. */
  readonly conversation: Conversation | undefined;
  /** Undefined where there is no turn. */
  readonly follower: ReplyFollower | undefined;
  readonly report: ReportIncident;
  /** The upstream refused what was sent as too long, and the client knows nothing of it yet. */
  readonly onTooLong: (refusal: Refusal) => void;
}

/** A reply that is held back for as long as it may be a refusal. */
export interface HeldReply {
  /** Whether all of it is held, for it is not streamed. */
  readonly holdsAll: boolean;
  /** More of it came. */
  grown(): void;
  /** The turn's follower was told more of it. */
  told(): void;
  /** It came to its end; `followed` resolves when the follower was told everything. */
  ended(followed: Promise<void>): void;
  /** Lets the client have it. */
  letGo(): void;
  /** Nobody waits for it any more. */
  stop(): void;
}

/** How long a stream that has only begun is held back: what fails at once can still be sent again. */
const LONGEST_HOLD_MS = 250;

export function holdReply(options: HoldOptions): HeldReply {
  const { outlet, head, conversation, follower, report, onTooLong } = options;
  let examination: Examination = conversation === undefined ? "none" : examinationOf(head, conversation);
  const holdsAll = examination === "refusal";
  const timer = examination === "opening" ? setTimeout(letGo, LONGEST_HOLD_MS) : undefined;
  if (examination === "none") outlet.release();

  function stop(): void {
    examination = "none";
    clearTimeout(timer);
  }

  function letGo(): void {
    stop();
    outlet.release();
  }

  async function examineAnswer(): Promise<void> {
    const refusal = await refusalOf(head, outlet.held()).catch((error: unknown) => {
      report("reading a refusal", error);
      return undefined;
    });
    if (refusal === undefined) letGo();
    else refuse(refusal);
  }

  function examineStage(): void {
    const stage = follower?.stage();
    if (stage === "opening") return;
    const failure = stage === "failed" ? follower?.failure() : undefined;
    const refusal = failure && readRefusal(failure);
    if (refusal === undefined) letGo();
    else refuse(refusal);
  }

  function refuse(refusal: Refusal): void {
    stop();
    onTooLong(refusal);
  }

  return {
    holdsAll,
    letGo,
    stop,
    grown: () => {
      if (examination !== "none" && outlet.heldBytes() > MOST_REFUSAL_BYTES) letGo();
    },
    told: () => {
      if (examination !== "opening") return;
      try {
        examineStage();
      } catch (error) {
        report("following a reply", error);
        letGo();
      }
    },
    ended: (followed) => {
      if (examination === "refusal") void examineAnswer();
      if (examination === "opening") void followed.then(() => examination === "opening" && letGo());
    },
  };
}
