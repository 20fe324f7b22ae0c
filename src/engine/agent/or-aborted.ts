/** Settles as the promise does, or rejects with the signal's reason as soon as it is aborted. */
export async function orAborted<Value>(
  promise: Value | PromiseLike<Value>,
  signal: AbortSignal | undefined,
): Promise<Value> {
  if (signal === undefined) return promise;
  let rejectAborted = () => {};
  const aborted = new Promise<never>((_, reject) => {
    rejectAborted = () => reject(signal.reason);
  });
  aborted.catch(() => undefined);
  signal.addEventListener("abort", rejectAborted);
  if (signal.aborted) rejectAborted();
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", rejectAborted);
  }
}
