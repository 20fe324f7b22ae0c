import { assertFunction, assertObject } from "../../core/assert.ts";
import { describeError } from "../../core/describe-error.ts";
import type { PrepareReport } from "../../engine/session/report.ts";
import type { Session } from "../../engine/session/session.ts";

/** Who is told what happened. */
export interface PalimpsestCallbacks {
  /** Called before each request with its size, and with the folds that were made for it. */
  readonly onReport?: ((report: PrepareReport) => void) | undefined;
  /** Called with what failed inside of us; what the SDK had is sent then. @default console.error */
  readonly onError?: ((error: unknown) => void) | undefined;
}

export function assertSession(session: Session): void {
  assertObject("options.session", session);
  assertFunction("options.session.prepare", session.prepare);
}

export function checkCallbacks({ onReport, onError }: PalimpsestCallbacks): void {
  if (onReport !== undefined) assertFunction("options.onReport", onReport);
  if (onError !== undefined) assertFunction("options.onError", onError);
}

/** What to do with a fault of ours, where nobody has said so. */
export function logError(error: unknown): void {
  console.error(`palimpsest: the prompt was sent as it is: ${describeError(error)}`);
}
