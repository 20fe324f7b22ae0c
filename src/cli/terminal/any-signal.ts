import { once } from "node:events";

/** Resolves at the first of these signals. The listeners are then removed, so that the next signal ends the process at once. */
export async function anySignal(...signals: readonly NodeJS.Signals[]): Promise<void> {
  const ended = new AbortController();
  await Promise.race(signals.map((signal) => once(process, signal, { signal: ended.signal })));
  ended.abort();
}
