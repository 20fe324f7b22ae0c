/** The promise's own outcome, or a rejection with the signal's reason as soon as it is aborted. */
export async function orAborted<Value>(
  promise: Value | PromiseLike<Value>,
  signal: AbortSignal | undefined,
): Promise<Value> {
  if (signal === undefined) return promise;
  let giveUp = () => {};
  const aborted = new Promise<never>((_, reject) => {
    giveUp = () => reject(signal.reason);
  });
  aborted.catch(() => undefined);
  signal.addEventListener("abort", giveUp);
  if (signal.aborted) giveUp();
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", giveUp);
  }
}
