import type { AppendOptions, AppendOutcome, NewRecord, StoredRecord, StoredSession } from "../../core/ports/store.ts";

/** One session with all that belongs to it. */
export interface MemorySession {
  readonly key: number;
  readonly id: string;
  readonly createdAt: number;
  updatedAt: number;
  rewriteVersion: number;
  readonly records: StoredRecord[];
  /** Which records hold a term: their versions, ascending. */
  readonly postings: Map<string, number[]>;
}

export function createMemorySession(key: number, id: string, at: number): MemorySession {
  return { key, id, createdAt: at, updatedAt: at, rewriteVersion: 0, records: [], postings: new Map() };
}

export function describeSession(session: MemorySession): StoredSession {
  const { key, id, records, rewriteVersion, createdAt, updatedAt } = session;
  return { key, id, version: records.length, rewriteVersion, createdAt, updatedAt };
}

/** Adds the records where the conditions hold. */
export function appendRecords(
  session: MemorySession,
  records: readonly NewRecord[],
  { expectedVersion, expectedRewriteVersion, at }: AppendOptions & { readonly at: number },
): Exclude<AppendOutcome, { readonly type: "missing" }> {
  const isExpected =
    (expectedVersion ?? session.records.length) === session.records.length &&
    (expectedRewriteVersion ?? session.rewriteVersion) === session.rewriteVersion;
  if (isExpected) for (const record of records) addRecord(session, record, at);
  const { version, rewriteVersion } = describeSession(session);
  return { type: isExpected ? "appended" : "conflict", version, rewriteVersion };
}

function addRecord(session: MemorySession, { body, isRewrite = false, terms = [] }: NewRecord, at: number): void {
  const version = session.records.push(Object.freeze({ version: session.records.length + 1, at, body }));
  session.updatedAt = at;
  if (isRewrite) session.rewriteVersion = version;
  for (const term of new Set(terms)) {
    const versions = session.postings.get(term);
    if (versions === undefined) session.postings.set(term, [version]);
    else versions.push(version);
  }
}
