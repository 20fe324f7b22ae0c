import type { ViewTracker } from "../../core/history/track-view.ts";
import type { Message } from "../../core/message/message.ts";
import { type LogHistory, logAfter } from "./journal/log-history.ts";
import { isRewrite, type LogRecord } from "./journal/log-record.ts";
import type { AppendedTokens } from "./read-ahead.ts";

/** Called for a message that was appended, with its tokens and the view's. */
export type OnAppend = (message: Message, tokens: AppendedTokens) => void;

interface Tracked {
  readonly history: LogHistory;
  readonly tracker: ViewTracker;
  readonly onAppend: OnAppend | undefined;
}

/** Larger batches of records are tracked as one rewrite, so that only what is visible at the end is counted. */
const LARGE_BATCH = 100;

/** Brings the tracked view up to date with records that are in the history already. */
export function trackRecords(records: readonly LogRecord[], { history, tracker, onAppend }: Tracked): void {
  if (records.some(isRewrite) || records.length > LARGE_BATCH) {
    tracker.replace(records.reduce((log, record) => logAfter(log, record, history), [...tracker.log()]));
    return;
  }
  for (const record of records) {
    if (record.type !== "message") continue;
    const before = tracker.tokens();
    tracker.append(record.message);
    const view = tracker.tokens();
    onAppend?.(record.message, { message: view - before, view });
  }
}
