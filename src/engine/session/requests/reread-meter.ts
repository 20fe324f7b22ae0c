import type { CountTokens, Message } from "../../../core/message/message.ts";
import { type HiddenResults, takeRereads } from "../../../core/statement/rereads.ts";
import type { LogState } from "../log-state.ts";

/** Tells how much of what arrived for a request an agent had before, and read again because a fold hides it. In our tokens. */
export type RereadMeter = (state: LogState, arrived: readonly Message[]) => number;

/** A session as it was opened: what is read again may be what a fold of another process hid. */
export interface OpenedLog {
  readonly state: LogState;
  /** How many of its newest messages were part of no request yet. */
  readonly newMessages: number;
}

interface HiddenNow {
  readonly rewriteVersion: number;
  readonly hidden: HiddenResults;
}

export function createRereadMeter(countTokens: CountTokens, openedLog: OpenedLog): RereadMeter {
  /** Until the first request is measured. */
  let opened: OpenedLog | undefined = openedLog;
  let known: HiddenNow = { rewriteVersion: 0, hidden: new Set() };

  /** What is hidden before the newest messages: where the session was opened since the rewrite, some of it was read again already. */
  function hiddenBefore(state: LogState, newestMessages: number): HiddenNow {
    const hidden = state.hiddenResults();
    const { view, appendedMessages, rewriteVersion } = state;
    const appended = view.slice(view.length - appendedMessages, view.length - newestMessages);
    takeRereads(appended, hidden, countTokens);
    return { rewriteVersion, hidden };
  }

  /** What was hidden when the session was opened: the first fold of this process hides what arrived, and tells no more whether that was new. */
  function takeOpened(): void {
    if (opened !== undefined && opened.state.rewriteVersion > 0) {
      known = hiddenBefore(opened.state, Math.min(opened.newMessages, opened.state.appendedMessages));
    }
    opened = undefined;
  }

  return (state, arrived) => {
    takeOpened();
    const isOther = known.rewriteVersion !== state.rewriteVersion;
    const cameSince = state.appendedMessages >= arrived.length;
    if (isOther && cameSince) known = hiddenBefore(state, arrived.length);
    const tokens = takeRereads(arrived, known.hidden, countTokens);
    // What a fold for this request hides, the next ones may read again.
    if (isOther && !cameSince) known = hiddenBefore(state, 0);
    return tokens;
  };
}
