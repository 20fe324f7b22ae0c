import { assert, assertObject } from "../../core/assert.ts";
import { PalimpsestError } from "../../core/errors.ts";
import type { LogHistory } from "./journal/log-history.ts";

/** A moment of a session. */
export type Moment =
  /** When the message had just been appended; without it, right before. */
  | {
      readonly toMessage: string;
      /** @default true */
      readonly includeMessage?: boolean | undefined;
    }
  | { readonly toVersion: number };

/** The version that a moment is. Of several messages with one id, the newest counts. */
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
  const found = history
    .pathTo(history.version())
    .findLast(({ record }) => record.type === "message" && record.message.id === toMessage);
  if (found === undefined) {
    throw new PalimpsestError("not-found", `The log has no message with the id ${JSON.stringify(toMessage)}.`);
  }
  return includeMessage ? found.version : found.version - 1;
}

/** The version right before the newest rewind that still holds. */
export function findUndone(history: LogHistory): {
  readonly version: number;
  readonly filesBefore: string | undefined;
} {
  for (let at = history.version(); at > 0; ) {
    const record = history.record(at);
    if (record?.type === "rewind") {
      if (!record.isUndo) return { version: at - 1, filesBefore: record.filesBefore };
      // What was undone is as if it had not been.
      at = record.toVersion;
    } else at -= 1;
  }
  throw new PalimpsestError("not-found", "There is no rewind to undo.");
}
