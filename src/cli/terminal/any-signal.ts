import { once } from "node:events";

/** Resolves at the first of these signals; the next one ends the process at once, as it would without us. */
export async function anySignal(...signals: readonly NodeJS.Signals[]): Promise<void> {
  const ended = new AbortController();
  await Promise.race(signals.map((signal) => once(process, signal, { signal: ended.signal })));
  ended.abort();
}
