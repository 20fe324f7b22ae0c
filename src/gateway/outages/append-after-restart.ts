import type { AppendOptions, AppendOutcome, NewRecord, StoredRecord } from "../../core/ports/store.ts";
import type { OutageContext } from "./outage-context.ts";
import type { SessionHandle } from "./session-handles.ts";

/** An append to the store whose outcome is unknown, because its connection broke. */
export interface InterruptedAppend {
  readonly handle: SessionHandle;
  readonly storeKey: number;
  readonly records: readonly NewRecord[];
  readonly options: AppendOptions | undefined;
  /** The version of the session that its user knew before the append. */
  readonly baseVersion: number;
}

const MAX_ATTEMPTS = 5;

/**
 * Settles an append that may or may not have been carried out when its connection broke. If the store answers again within the time of a restart,
 * looks for the records in the session, and appends them if they are not there. Returns undefined if the store does not answer.
 * The second append expects the version that was just read, so the records are not written twice if the first append is carried out late.
 */
export async function appendAfterRestart(
  { behind, breaker }: OutageContext,
  { handle, storeKey, records, options = {}, baseVersion }: InterruptedAppend,
): Promise<AppendOutcome | undefined> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const lookup = await breaker.ask(
      async () => ({
        session: await behind.find(handle.id),
        found: await behind.read(storeKey, { afterVersion: baseVersion }),
      }),
      { isReading: true },
    );
    if (lookup.type === "unavailable") return undefined;
    const { session, found } = lookup.value;
    if (session?.key !== storeKey) return { type: "missing" };
    const { version, rewriteVersion } = session;
    // Something was appended between the two reads: read again.
    if (version !== baseVersion + found.length) continue;
    const end = endOf(records, found);
    // Other processes may have appended since. The session's user reads their records later, as after any append.
    if (end !== undefined) return { type: "appended", version: baseVersion + end, rewriteVersion };
    const { expectedVersion = version, expectedRewriteVersion = rewriteVersion } = options;
    if (expectedVersion !== version || expectedRewriteVersion !== rewriteVersion) {
      return { type: "conflict", version, rewriteVersion };
    }
    const appended = await breaker.ask(() =>
      behind.append(storeKey, records, { ...options, expectedVersion: version }),
    );
    if (appended.type === "answered" && appended.value.type !== "conflict") return appended.value;
  }
  return undefined;
}

/** Looks for `records`, which were appended together, in `found`. Returns the index behind the last of them, or undefined if they are not there. */
function endOf(records: readonly NewRecord[], found: readonly StoredRecord[]): number | undefined {
  const start = found.findIndex((_, first) => records.every(({ body }, index) => found[first + index]?.body === body));
  return start === -1 ? undefined : start + records.length;
}
