import { assert, assertObject } from "../../core/assert.ts";
import { PalimpsestError } from "../../core/errors.ts";
import type { LogHistory } from "./journal/log-history.ts";

/** A moment of a session. */
export type Moment =
  /** Right after this message was appended, or right before. */
  | {
      readonly toMessage: string;
      /** Whether the log of that moment ends with the message. @default true */
      readonly includeMessage?: boolean | undefined;
    }
  | { readonly toVersion: number };

/** The version of a moment. If several messages have the id, the newest counts. Throws "not-found" where none has it. */
export function findVersion(history: LogHistory, moment: Moment): number {
  assertObject("options", moment);
  if ("toVersion" in moment) {
    const { toVersion } = moment;
    const isVersion = Number.isInteger(toVersion) && toVersion >= 0 && toVersion <= history.version();
    assert(isVersion, "options.toVersion", toVersion, `a whole number from 0 to ${history.version()}`);
    return toVersion;
  }
  const { toMessage, includeMessage = true } = moment;
  assert(typeof toMessage === "string", "options.toMessage", toMessage, "the id of a message");
  const placed = history
    .pathTo(history.version())
    .findLast(({ record }) => record.type === "message" && record.message.id === toMessage);
  if (placed === undefined) {
    throw new PalimpsestError("not-found", `The log has no message with the id ${JSON.stringify(toMessage)}.`);
  }
  return includeMessage ? placed.version : placed.version - 1;
}

/** The version right before the newest rewind that was not undone yet. Throws "not-found" where there is none. */
export function findUndone(history: LogHistory): {
  readonly version: number;
  readonly filesBefore: string | undefined;
} {
  for (let at = history.version(); at > 0; ) {
    const record = history.record(at);
    if (record?.type === "rewind") {
      if (!record.isUndo) return { version: at - 1, filesBefore: record.filesBefore };
      // An undo: the rewind that it took back no longer counts.
      at = record.toVersion;
    } else at -= 1;
  }
  throw new PalimpsestError("not-found", "There is no rewind to undo.");
}
