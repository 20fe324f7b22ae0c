/** Waits for a promise, but no longer than until somebody gives up. What came of it is for the caller to see. */
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
