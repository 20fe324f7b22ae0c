import { withTimeLimit } from "../time-limit.ts";
import { type ExtensionCall, reportFault } from "./fault.ts";

/** Calls an extension. Where it throws, reports a fault and returns undefined. */
export function attempt<Value>(run: () => Value, call: ExtensionCall): Value | undefined {
  try {
    return run();
  } catch (error) {
    reportFault(error, call);
    return undefined;
  }
}

/** Calls an extension without waiting for it. A promise that rejects is a fault, too: unhandled, it would end the process. */
export function notify(run: () => unknown, call: ExtensionCall): void {
  const answer = attempt(run, call);
  if (answer instanceof Promise) answer.catch((error: unknown) => reportFault(error, call));
}

/** Awaits an extension up to a time limit. Where it fails or takes longer, reports a fault and resolves to undefined. Code that blocks the thread cannot be stopped. */
export async function attemptWithin<Value>(
  timeoutMs: number,
  run: () => Promise<Value>,
  call: ExtensionCall,
): Promise<Value | undefined> {
  try {
    return await withTimeLimit(run(), timeoutMs);
  } catch (error) {
    reportFault(error, call);
    return undefined;
  }
}

/** Throws for a promise, where an answer is needed at once. The promise's own rejection is ignored, so that it does not end the process. */
export function assertAtOnce(value: unknown): void {
  if (!(value instanceof Promise)) return;
  value.catch(() => {});
  throw new Error("its answer is a promise; it must answer at once");
}
