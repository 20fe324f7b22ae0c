import { assert, assertArray, assertNumber } from "../assert.ts";
import { PalimpsestError } from "../errors.ts";
import type { StandIns } from "../message/effective-view.ts";

/** One event of what the person saw. Fields that are not named here travel along untouched. */
export interface UiMessage {
  /** When it was shown, in milliseconds since the epoch. */
  readonly ts: number;
  readonly type?: string;
  /** The kind of event; `condense_context` and `sliding_window_truncation` report a fold. */
  readonly say?: string;
  readonly text?: string;
  /** Set on a `condense_context` event. */
  readonly contextCondense?: ContextCondense;
  /** Set on a `sliding_window_truncation` event. */
  readonly contextTruncation?: ContextTruncation;
}

/** A condensation, as it is reported to the person. */
export interface ContextCondense {
  /** In USD. */
  readonly cost?: number;
  readonly prevContextTokens?: number;
  readonly newContextTokens?: number;
  readonly summary?: string;
  /** Names the summary in the API history; files of older agents have none. */
  readonly condenseId?: string;
}

/** A truncation, as it is reported to the person. */
export interface ContextTruncation {
  /** Names the marker in the API history. */
  readonly truncationId?: string;
  readonly messagesRemoved?: number;
  readonly prevContextTokens?: number;
  readonly newContextTokens?: number;
}

/** Throws unless these are events; checks only the fields that a rewind reads. */
export function checkUiMessages(name: string, events: unknown): asserts events is readonly UiMessage[] {
  assertArray(name, events);
  for (const [index, event] of events.entries()) {
    assert(typeof event === "object" && event !== null, `${name}[${index}]`, event, "an object with a ts");
    assertNumber(`${name}[${index}].ts`, "ts" in event ? event.ts : undefined);
  }
}

/** The index of the first event with this time; throws where there is none. */
export function findUiMessage(events: readonly UiMessage[], ts: number): number {
  assertNumber("ts", ts);
  const index = events.findIndex((event) => event.ts === ts);
  if (index >= 0) return index;
  throw new PalimpsestError(
    "not-found",
    `No message of clineMessages has the timestamp ${ts}. Pass the ts of one of them, or use rewindToIndex.`,
  );
}

/** The ids of the folds that these events report. */
export function collectFoldEvents(events: readonly UiMessage[]): StandIns {
  const [condenseIds, truncationIds] = [new Set<string>(), new Set<string>()];
  for (const { say, contextCondense, contextTruncation } of events) {
    const condenseId = say === "condense_context" ? contextCondense?.condenseId : undefined;
    const truncationId = say === "sliding_window_truncation" ? contextTruncation?.truncationId : undefined;
    if (condenseId !== undefined) condenseIds.add(condenseId);
    if (truncationId !== undefined) truncationIds.add(truncationId);
  }
  return { condenseIds, truncationIds };
}

/** Whether an event reports a fold: it then belongs to no message of the conversation. */
export function isFoldEvent({ say }: UiMessage): boolean {
  return say === "condense_context" || say === "sliding_window_truncation";
}
