/** Runs a task after all tasks that were added before it, and resolves to its result. */
export type Enqueue = <Value>(task: () => Promise<Value>) => Promise<Value>;

/** Runs one task at a time, in the order in which they were added. A task that fails does not stop those behind it. */
export function createQueue(): Enqueue {
  let last: Promise<unknown> = Promise.resolve();
  return (task) => {
    const next = last.then(task);
    last = next.catch(() => undefined);
    return next;
  };
}
