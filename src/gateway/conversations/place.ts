import type { SessionSnapshot } from "../../engine/session/session.ts";
import type { Conversation } from "./desk.ts";

/** Where a request belongs. */
export type Place =
  /** It goes on where the session's log ends, or is the log. */
  | { readonly type: "continue"; readonly conversation: Conversation; readonly snapshot: SessionSnapshot }
  /** It is the beginning of the session's log: an old step sent again, or another conversation that begins alike. */
  | { readonly type: "replay"; readonly conversation: Conversation; readonly snapshot: SessionSnapshot }
  /** It parts from the session's log, which goes on with what was sent now. */
  | {
      readonly type: "rewind";
      readonly conversation: Conversation;
      readonly snapshot: SessionSnapshot;
      readonly shared: number;
    }
  /** It parts from what the session was at a version, and both go on. */
  | {
      readonly type: "branch";
      readonly from: Conversation;
      readonly snapshot: SessionSnapshot;
      readonly moment: BranchMoment;
      readonly id: string;
    }
  | {
      readonly type: "create";
      readonly id: string;
      /** Whether it is from within, or beside, a conversation that uses tools. */
      readonly isNearAgent: boolean;
    };

export type BranchMoment =
  | { readonly toVersion: number }
  | { readonly toMessage: string; readonly includeMessage: false };
