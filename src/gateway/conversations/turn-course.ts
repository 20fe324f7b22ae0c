import type { Carried } from "./carry.ts";
import type { Conversation } from "./desk.ts";
import type { Asked, ScratchPorts } from "./fold-turn.ts";
import type { Heard } from "./heard.ts";
import type { RecordPorts } from "./record.ts";

/** How a request is first sent. */
export interface TurnStart {
  readonly carried: Carried;
  /** The session that it belongs to; undefined where it belongs to none. */
  readonly conversation: Conversation | undefined;
  /** Writes the request to a log, and gives its session; undefined where that is done, or never will be. */
  readonly recordIt: (() => Promise<Conversation | undefined>) | undefined;
  /** How its session stands to it: what is sent is its view, its log at least holds it, or it has none. */
  readonly footing: "view" | "log" | "none";
  /** The model's tokens for one of ours, where a request is folded for itself by what its session knows. */
  readonly tokenRatio?: number | undefined;
}

export interface TurnContext extends TurnStart, Asked {
  readonly heard: Heard;
  readonly startedAt: number;
}

export interface TurnPorts extends RecordPorts, ScratchPorts {
  /** Told what failed, never what was said. */
  readonly incident: (what: string, error: unknown) => void;
}

/** How far a turn has come: what was sent last, and the session that it belongs to by now. */
export interface TurnCourse {
  carried: Carried;
  conversation: Conversation | undefined;
  footing: TurnStart["footing"];
  /** Made for any of the bodies that were sent. */
  newFoldIds: readonly string[];
  retries: number;
  /** What the body that was sent last asks for as its reply's allowance; undefined where that is as it came. */
  replyTokens: number | undefined;
  isEnded: boolean;
  /** Writes the request to its log, where that is still to be done. */
  recordOnce(): Promise<void> | undefined;
  /** It may turn out to belong elsewhere: then nobody waits for it where it was. */
  moveTo(settled: Conversation): void;
}

export function startCourse({ heard, recordIt, ...start }: TurnContext, { desk }: TurnPorts): TurnCourse {
  let recorded: Promise<void> | undefined;
  const course: TurnCourse = {
    carried: start.carried,
    conversation: start.conversation,
    footing: start.footing,
    newFoldIds: start.carried.newFoldIds,
    retries: 0,
    replyTokens: undefined,
    isEnded: false,
    recordOnce: () => {
      if (recorded !== undefined || recordIt === undefined) return recorded;
      recorded = recordIt().then((settled) => {
        if (settled !== undefined) course.moveTo(settled);
      });
      desk.track(recorded, "writing");
      return recorded;
    },
    moveTo: (settled) => {
      if (settled !== course.conversation) course.conversation?.underWay.delete(heard.mark);
      course.conversation = settled;
    },
  };
  return course;
}
