import type { LogRecord } from "../../src/engine/session/journal/log-record.ts";
import type { Message } from "../../src/index.ts";
import { COUNTER_ID, counterMessage, countOf } from "./turns.ts";

/** What the records of a session say, without any of the engine's code: folds hide nothing here. */
export interface Replayed {
  /** What was said and not rewound, as it was said, with the counter as it is now. */
  readonly said: readonly Message[];
  /** All messages that were ever appended, in the order of the store. */
  readonly appended: readonly Message[];
  /** How often the counter was counted up, rewound or not. */
  readonly updates: number;
  /** An update that does not count on from what was there before it. */
  readonly lostUpdates: readonly string[];
}

/** A moment: the newest message, the one before it …, and what the counter says. */
interface Moment {
  readonly last: Said | undefined;
  readonly count: number;
}

interface Said {
  readonly message: Message;
  readonly before: Said | undefined;
}

export function replayRecords(records: readonly LogRecord[]): Replayed {
  const moments: Moment[] = [{ last: undefined, count: 0 }];
  const appended: Message[] = [];
  const lostUpdates: string[] = [];
  let updates = 0;
  for (const [index, record] of records.entries()) {
    const now = moments[index] ?? { last: undefined, count: 0 };
    const counted = record.type === "patch" ? countIn(record) : undefined;
    if (record.type === "message") appended.push(record.message);
    if (counted !== undefined) {
      updates += 1;
      if (counted !== now.count + 1) lostUpdates.push(`record ${index + 1} counts ${counted} after ${now.count}`);
    }
    moments.push(momentAfter(record, { now, moments, counted }));
  }
  const end = moments.at(-1) ?? { last: undefined, count: 0 };
  return { said: saidUntil(end), appended, updates, lostUpdates };
}

interface Situation {
  readonly now: Moment;
  readonly moments: readonly Moment[];
  readonly counted: number | undefined;
}

function momentAfter(record: LogRecord, { now, moments, counted }: Situation): Moment {
  if (record.type === "message") return { ...now, last: { message: record.message, before: now.last } };
  if (record.type === "rewind") return moments[record.toVersion] ?? now;
  return counted === undefined ? now : { ...now, count: counted };
}

/** Only an update changes what a message says. */
function countIn({ patch }: Extract<LogRecord, { readonly type: "patch" }>): number | undefined {
  const change = patch.changed.find(({ set }) => "content" in set);
  return change === undefined ? undefined : countOf(change.set.content);
}

function saidUntil({ last, count }: Moment): readonly Message[] {
  const messages: Message[] = [];
  for (let said = last; said !== undefined; said = said.before) {
    messages.push(said.message.id === COUNTER_ID ? counterMessage(count) : said.message);
  }
  return messages.reverse();
}
