import { assert, assertArray, assertNumber } from "../assert.ts";
import { PalimpsestError } from "../errors.ts";
import type { StandIns } from "../message/effective-view.ts";

/** One event of what the person saw. Fields that are not named here travel along untouched. */
export interface UiMessage {
  /** When it was shown, in milliseconds since the epoch. */
  readonly ts: number;
  readonly type?: string;
  /** What kind of event it is; `condense_context` and `sliding_window_truncation` tell of a fold. */
  readonly say?: string;
  readonly text?: string;
  /** What a `condense_context` event tells. */
  readonly contextCondense?: ContextCondense;
  /** What a `sliding_window_truncation` event tells. */
  readonly contextTruncation?: ContextTruncation;
}

/** A condensation, as the person is told of it. */
export interface ContextCondense {
  /** In USD. */
  readonly cost?: number;
  readonly prevContextTokens?: number;
  readonly newContextTokens?: number;
  readonly summary?: string;
  /** Names the summary in the API history; files of older agents have none. */
  readonly condenseId?: string;
}

/** A truncation, as the person is told of it. */
export interface ContextTruncation {
  /** Names the marker in the API history. */
  readonly truncationId?: string;
  readonly messagesRemoved?: number;
  readonly prevContextTokens?: number;
  readonly newContextTokens?: number;
}

/** Throws unless these are events; only what a rewind reads is looked at. */
export function checkUiMessages(name: string, events: unknown): asserts events is readonly UiMessage[] {
  assertArray(name, events);
  for (const [index, event] of events.entries()) {
    assert(typeof event === "object" && event !== null, `${name}[${index}]`, event, "an object with a ts");
    assertNumber(`${name}[${index}].ts`, "ts" in event ? event.ts : undefined);
  }
}

/** The index of the event with this time; of several, the first. */
export function findUiMessage(events: readonly UiMessage[], ts: number): number {
  assertNumber("ts", ts);
  const index = events.findIndex((event) => event.ts === ts);
  if (index >= 0) return index;
  throw new PalimpsestError(
    "not-found",
    `No message of clineMessages has the timestamp ${ts}. Pass the ts of one of them, or use rewindToIndex.`,
  );
}

/** The folds that these events tell of. */
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

/** True for events that tell of a fold: they belong to no message of the conversation. */
export function isFoldEvent({ say }: UiMessage): boolean {
  return say === "condense_context" || say === "sliding_window_truncation";
}
