import { PalimpsestError } from "../../core/errors.ts";

/** The error where a session key leads nowhere. */
export function noSession(sessionKey: number): PalimpsestError {
  return new PalimpsestError("not-found", `There is no session with the key ${sessionKey}. It may have been deleted.`);
}
