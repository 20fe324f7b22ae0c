import { assertFunction, assertObject } from "../../core/assert.ts";
import { describeError } from "../../core/describe-error.ts";
import { PalimpsestError } from "../../core/errors.ts";
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

interface FailureOptions {
  /** Called with what failed inside of us. */
  readonly onError: (error: unknown) => void;
  readonly signal?: AbortSignal | undefined;
}

/** What only whoever wrote the program can mend. */
const MISUSE: ReadonlySet<string> = new Set(["cannot-fit", "invalid-configuration", "missing-package"]);

/**
 * What an operation of ours gives; undefined where it fails, which is told and fails nothing else. Thrown is only what no other request could
 * change: that nothing fits, a package or a setting that is missing, and that the caller has given up.
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
