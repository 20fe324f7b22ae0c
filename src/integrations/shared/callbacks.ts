import { assertFunction, assertObject } from "../../core/assert.ts";
import { describeError } from "../../core/describe-error.ts";
import { PalimpsestError } from "../../core/errors.ts";
import type { PrepareReport } from "../../engine/session/report.ts";
import type { Session } from "../../engine/session/session.ts";

/** Callbacks of an integration. */
export interface PalimpsestCallbacks {
  /** Called before each request with its size and the folds that were made for it. */
  readonly onReport?: ((report: PrepareReport) => void) | undefined;
  /** Called with an error of ours; the request is then sent as the SDK had it. @default console.error */
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

/** The default of `onError`. */
export function logError(error: unknown): void {
  console.error(`palimpsest: the prompt was sent as it is: ${describeError(error)}`);
}

interface FailureOptions {
  /** Called with an error of ours. */
  readonly onError: (error: unknown) => void;
  readonly signal?: AbortSignal | undefined;
}

/** Codes of errors that only a change of the program can fix. */
const MISUSE: ReadonlySet<string> = new Set(["cannot-fit", "invalid-configuration", "missing-package"]);

/**
 * Runs an operation of ours. If it fails, calls `onError` and returns undefined, so that the request goes on without it. Throws only what every
 * further request would run into as well (nothing fits, a missing package, a wrong setting), and after the caller has aborted.
 */
export async function unlessFailed<Value>(
  operation: () => Promise<Value>,
  { onError, signal }: FailureOptions,
): Promise<Value | undefined> {
  try {
    return await operation();
  } catch (error) {
    const isMisuse = error instanceof PalimpsestError && MISUSE.has(error.code);
    if (isMisuse || signal?.aborted === true) throw error;
    onError(error);
    return undefined;
  }
}
