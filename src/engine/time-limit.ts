/** Longer timers fire at once. */
export const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

/** The delay as timers take it: what is too long for them, or forever, becomes the longest. */
export function timerMs(timeoutMs: number): number {
  return Math.min(timeoutMs, LONGEST_TIMEOUT_MS);
}

/** Resolves after so long. */
export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, timerMs(ms)));
}

/** The promise's own outcome, or a rejection when it takes longer than `timeoutMs`: other people's code may never answer. */
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
