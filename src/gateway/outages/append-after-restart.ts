import type { AppendOptions, AppendOutcome, NewRecord, StoredRecord } from "../../core/ports/store.ts";
import type { OutageContext } from "./outage-context.ts";
import type { SessionHandle } from "./session-handles.ts";

export interface InterruptedAppend {
  readonly handle: SessionHandle;
  readonly storeKey: number;
  readonly records: readonly NewRecord[];
  readonly options: AppendOptions | undefined;
  /** The version that its user knew before. */
  readonly baseVersion: number;
}

const MAX_ATTEMPTS = 5;

/**
 * An append whose connection broke may have happened. Where the store is back within the time of a restart, its records are looked for, and
 * appended where they are not there; undefined where it is not back. That the version is still what was seen
 * keeps an append that is only late from happening twice.
 */
export async function appendAfterRestart(
  { behind, breaker }: OutageContext,
  { handle, storeKey, records, options = {}, baseVersion }: InterruptedAppend,
): Promise<AppendOutcome | undefined> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const looked = await breaker.ask(
      async () => ({
        session: await behind.find(handle.id),
        found: await behind.read(storeKey, { afterVersion: baseVersion }),
      }),
      { isReading: true },
    );
    if (looked.type === "unavailable") return undefined;
    const { session, found } = looked.value;
    if (session?.key !== storeKey) return { type: "missing" };
    const { version, rewriteVersion } = session;
    // Written between the two reads: look again.
    if (version !== baseVersion + found.length) continue;
    const end = endOf(records, found);
    // Others may have written behind them since: its user reads that, as always.
    if (end !== undefined) return { type: "appended", version: baseVersion + end, rewriteVersion };
    const { expectedVersion = version, expectedRewriteVersion = rewriteVersion } = options;
    if (expectedVersion !== version || expectedRewriteVersion !== rewriteVersion) {
      return { type: "conflict", version, rewriteVersion };
    }
    const asked = await breaker.ask(() => behind.append(storeKey, records, { ...options, expectedVersion: version }));
    if (asked.type === "answered" && asked.value.type !== "conflict") return asked.value;
  }
  return undefined;
}

/** How many of the found records there are up to the last of these, which were appended together; undefined where they are not among them. */
function endOf(records: readonly NewRecord[], found: readonly StoredRecord[]): number | undefined {
  const start = found.findIndex((_, first) => records.every(({ body }, index) => found[first + index]?.body === body));
  return start === -1 ? undefined : start + records.length;
}
