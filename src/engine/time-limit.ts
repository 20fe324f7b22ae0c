/** The longest delay of a timer: longer ones fire at once. */
export const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

/** A delay that timers accept: one that is too long or infinite becomes the longest. */
export function timerMs(timeoutMs: number): number {
  return Math.min(timeoutMs, LONGEST_TIMEOUT_MS);
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, timerMs(ms)));
}

/** Settles as the promise does, or rejects after `timeoutMs`: the code of extensions may never answer. */
export async function withTimeLimit<Value>(promise: Value | PromiseLike<Value>, timeoutMs: number): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`It took longer than ${timeoutMs} ms.`)), timerMs(timeoutMs));
  });
  try {
    return await Promise.race([promise, limit]);
  } finally {
    clearTimeout(timer);
  }
}
