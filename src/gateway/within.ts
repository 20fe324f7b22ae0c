/** The outcome of a task that has a time limit. */
export type Timely<Value> =
  | { readonly type: "done"; readonly value: Value }
  | { readonly type: "failed"; readonly error: unknown }
  | { readonly type: "late"; readonly whenDone: Promise<Value> };

/** Runs a task, and resolves with its outcome: "late" if it takes longer than the limit. Never rejects. */
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
