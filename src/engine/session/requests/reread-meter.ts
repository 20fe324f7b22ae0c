import type { CountTokens, Message } from "../../../core/message/message.ts";
import { type HiddenResults, takeRereads } from "../../../core/statement/rereads.ts";
import type { LogState } from "../log-state.ts";

/** Counts the tokens of tool results that arrived for a request and that the agent had before, but read again as a fold hides them. */
export type RereadMeter = (state: LogState, arrived: readonly Message[]) => number;

/** A session as it was opened, with folds of other processes. */
export interface OpenedLog {
  readonly state: LogState;
  /** How many of its newest messages were in no request yet. */
  readonly newMessages: number;
}

interface HiddenNow {
  readonly rewriteVersion: number;
  readonly hidden: HiddenResults;
}

export function createRereadMeter(countTokens: CountTokens, openedLog: OpenedLog): RereadMeter {
  /** Undefined after the first request was measured. */
  let opened: OpenedLog | undefined = openedLog;
  let hiddenNow: HiddenNow = { rewriteVersion: 0, hidden: new Set() };

  /** The hidden results before the newest messages, without those that messages since the rewrite have read again. */
  function hiddenBefore(state: LogState, newestMessages: number): HiddenNow {
    const hidden = state.hiddenResults();
    const { view, appendedMessages, rewriteVersion } = state;
    const appended = view.slice(view.length - appendedMessages, view.length - newestMessages);
    takeRereads(appended, hidden, countTokens);
    return { rewriteVersion, hidden };
  }

  /** Takes over the results that were hidden when the session was opened: after the first fold of this process, the log no longer tells them. */
  function takeOpened(): void {
    if (opened !== undefined && opened.state.rewriteVersion > 0) {
      hiddenNow = hiddenBefore(opened.state, Math.min(opened.newMessages, opened.state.appendedMessages));
    }
    opened = undefined;
  }

  return (state, arrived) => {
    takeOpened();
    const isOther = hiddenNow.rewriteVersion !== state.rewriteVersion;
    const cameSince = state.appendedMessages >= arrived.length;
    if (isOther && cameSince) hiddenNow = hiddenBefore(state, arrived.length);
    const tokens = takeRereads(arrived, hiddenNow.hidden, countTokens);
    // What a fold for this request hides, the next ones may read again.
    if (isOther && !cameSince) hiddenNow = hiddenBefore(state, 0);
    return tokens;
  };
}
