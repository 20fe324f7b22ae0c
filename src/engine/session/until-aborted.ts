/** Resolves when the promise resolves or the signal is aborted; the caller must check which. Rejects as the promise does. */
export async function settledOrAborted(promise: Promise<unknown>, signal: AbortSignal | undefined): Promise<void> {
  let giveUp = () => {};
  const aborted = new Promise<void>((resolve) => {
    giveUp = resolve;
  });
  signal?.addEventListener("abort", giveUp);
  if (signal?.aborted === true) giveUp();
  try {
    await Promise.race([promise, aborted]);
  } finally {
    signal?.removeEventListener("abort", giveUp);
  }
}
