/** What something came to within its time. */
export type Timely<Value> =
  | { readonly type: "done"; readonly value: Value }
  | { readonly type: "failed"; readonly error: unknown }
  | { readonly type: "late"; readonly whenDone: Promise<Value> };

/** Runs something of ours that may throw, reject, or take too long, and says which. */
export function within<Value>(timeoutMs: number, run: () => Promise<Value>): Promise<Timely<Value>> {
  return new Promise((resolve) => {
    const running = (async () => run())();
    const timer = setTimeout(() => resolve({ type: "late", whenDone: running }), timeoutMs);
    running.then(
      (value) => {
        clearTimeout(timer);
        resolve({ type: "done", value });
      },
      (error: unknown) => {
        clearTimeout(timer);
        resolve({ type: "failed", error });
      },
    );
  });
}
