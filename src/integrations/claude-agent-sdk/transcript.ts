import { assert, assertArray } from "../../core/assert.ts";
import { PalimpsestError } from "../../core/errors.ts";
import { tryParseJson } from "../../core/json/parse-json.ts";
import { asName, isRecord } from "../../core/json/read-json.ts";
import type { NewRecord, Store, StoredSession } from "../../core/ports/store.ts";
import { entryTerm, listTerm, storedIdOf } from "./transcript-key.ts";
import type { ClaudeSessionEntry, ClaudeSessionKey } from "./types.ts";

/** Other processes may write to the transcript, or delete it, at the same time: then it is read again. */
const MAX_TRIES = 50;

/** An entry as it is stored. */
export interface Line {
  readonly body: string;
  readonly uuid: string | undefined;
}

/** The entries of a batch as lines, without those whose uuid occurs in it before. Throws for an entry that JSON cannot hold. */
export function readEntries(entries: readonly ClaudeSessionEntry[]): readonly Line[] {
  assertArray("entries", entries);
  const lines = entries.map((entry, at): Line => {
    assert(isEntry(entry), `entries[${at}]`, entry, "an entry with a type");
    const body = jsonOf(entry);
    assert(body !== undefined, `entries[${at}]`, entry, "an entry that JSON can hold");
    return { body, uuid: asName(entry.uuid) };
  });
  return withoutDuplicates(lines, new Set());
}

function jsonOf(entry: ClaudeSessionEntry): string | undefined {
  try {
    return JSON.stringify(entry);
  } catch {
    return undefined;
  }
}

/** The lines whose uuid is neither among `storedUuids` nor on an earlier line. Lines without a uuid are all kept. */
function withoutDuplicates(lines: readonly Line[], storedUuids: ReadonlySet<string>): readonly Line[] {
  const uuids = new Set(storedUuids);
  return lines.filter(({ uuid }) => {
    const isNew = uuid === undefined || !uuids.has(uuid);
    if (uuid !== undefined) uuids.add(uuid);
    return isNew;
  });
}

export async function appendLines(store: Store, key: ClaudeSessionKey, lines: readonly Line[]): Promise<void> {
  const id = storedIdOf(key);
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const session = await store.open(id);
    const added = withoutDuplicates(lines, await readStoredUuids(store, session, lines));
    const records = added.map(({ body, uuid }, at): NewRecord => {
      const isFirst = session.version === 0 && at === 0;
      const terms = [...(uuid === undefined ? [] : [entryTerm(uuid)]), ...(isFirst ? [listTerm(key)] : [])];
      return { body, terms };
    });
    if (records.length === 0) return;
    // Fails if others wrote since the uuids were compared.
    const { type } = await store.append(session.key, records, { expectedVersion: session.version });
    if (type === "appended") return;
  }
  throw new PalimpsestError("conflict", `Others kept writing to the transcript ${JSON.stringify(id)}. Try again.`);
}

/** The uuids of the stored transcript; empty if a search finds that it has none of the lines' uuids, which spares reading it. */
async function readStoredUuids(
  store: Store,
  session: StoredSession,
  lines: readonly Line[],
): Promise<ReadonlySet<string>> {
  const terms = lines.flatMap(({ uuid }) => (uuid === undefined ? [] : [entryTerm(uuid)]));
  if (session.version === 0 || terms.length === 0) return new Set();
  const found = await store.search(terms, { sessionKey: session.key, limit: 1 });
  if (found.length === 0) return new Set();
  return new Set((await readTranscript(store, session)).flatMap(({ uuid }) => asName(uuid) ?? []));
}

export async function readTranscript(store: Store, session: StoredSession): Promise<ClaudeSessionEntry[]> {
  const records = await store.read(session.key);
  return records.map(({ body, version }) => {
    const entry = tryParseJson(body);
    if (isEntry(entry)) return entry;
    throw new PalimpsestError(
      "store-damaged",
      `Record ${version} of ${JSON.stringify(session.id)} is no entry of a transcript. Restore the database from a backup, or update the package.`,
    );
  });
}

function isEntry(value: unknown): value is ClaudeSessionEntry {
  return isRecord(value) && typeof value.type === "string";
}
