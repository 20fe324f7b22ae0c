import { withTimeLimit } from "../time-limit.ts";
import { type CallOfOthers, reportFault } from "./fault.ts";

/** The answer of code that is not ours; undefined, and a fault, where it throws. */
export function attempt<Value>(run: () => Value, call: CallOfOthers): Value | undefined {
  try {
    return run();
  } catch (error) {
    reportFault(error, call);
    return undefined;
  }
}

/** The same for code that nobody waits for. What fails later is a fault too: unhandled, it would end the process. */
export function notify(run: () => unknown, call: CallOfOthers): void {
  const answer = attempt(run, call);
  if (answer instanceof Promise) answer.catch((error: unknown) => reportFault(error, call));
}

/**
 * The answer of code that may take its time, up to a limit; undefined, and a fault, where it fails. What blocks the
 * thread cannot be stopped.
 */
export async function attemptWithin<Value>(
  timeoutMs: number,
  run: () => Promise<Value>,
  call: CallOfOthers,
): Promise<Value | undefined> {
  try {
    return await withTimeLimit(run(), timeoutMs);
  } catch (error) {
    reportFault(error, call);
    return undefined;
  }
}

/** Refuses a promise where an answer is needed at once; what becomes of it must not end the process. */
export function assertAtOnce(value: unknown): void {
  if (!(value instanceof Promise)) return;
  value.catch(() => {});
  throw new Error("its answer is a promise; it must answer at once");
}
