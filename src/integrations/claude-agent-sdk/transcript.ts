import { assert, assertArray } from "../../core/assert.ts";
import { PalimpsestError } from "../../core/errors.ts";
import { tryParseJson } from "../../core/json/parse-json.ts";
import { asName, isRecord } from "../../core/json/read-json.ts";
import type { NewRecord, Store, StoredSession } from "../../core/ports/store.ts";
import { entryTerm, listTerm, storedIdOf } from "./transcript-key.ts";
import type { ClaudeSessionEntry, ClaudeSessionKey } from "./types.ts";

/** Others may write to the transcript, or delete it, at the same time. */
const MAX_TRIES = 50;

/** An entry as it is kept. */
export interface Line {
  readonly body: string;
  readonly uuid: string | undefined;
}

/** The entries of one batch; one that is in it twice counts once. */
export function readEntries(entries: readonly ClaudeSessionEntry[]): readonly Line[] {
  assertArray("entries", entries);
  const lines = entries.map((entry, at): Line => {
    assert(isEntry(entry), `entries[${at}]`, entry, "an entry with a type");
    const body = jsonOf(entry);
    assert(body !== undefined, `entries[${at}]`, entry, "an entry that JSON can hold");
    return { body, uuid: asName(entry.uuid) };
  });
  return withoutKnown(lines, new Set());
}

function jsonOf(entry: ClaudeSessionEntry): string | undefined {
  try {
    return JSON.stringify(entry);
  } catch {
    return undefined;
  }
}

function withoutKnown(lines: readonly Line[], known: ReadonlySet<string>): readonly Line[] {
  const seen = new Set(known);
  return lines.filter(({ uuid }) => {
    const isNew = uuid === undefined || !seen.has(uuid);
    if (uuid !== undefined) seen.add(uuid);
    return isNew;
  });
}

export async function appendLines(store: Store, key: ClaudeSessionKey, lines: readonly Line[]): Promise<void> {
  const id = storedIdOf(key);
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const session = await store.open(id);
    const added = withoutKnown(lines, await knownUuids(store, session, lines));
    const records = added.map(({ body, uuid }, at): NewRecord => {
      const isFirst = session.version === 0 && at === 0;
      const terms = [...(uuid === undefined ? [] : [entryTerm(uuid)]), ...(isFirst ? [listTerm(key)] : [])];
      return { body, terms };
    });
    if (records.length === 0) return;
    // Only what was there when the uuids were compared.
    const { type } = await store.append(session.key, records, { expectedVersion: session.version });
    if (type === "appended") return;
  }
  throw new PalimpsestError("conflict", `Others kept writing to the transcript ${JSON.stringify(id)}. Try again.`);
}

/** The uuids of the transcript, where it has one of these at all. */
async function knownUuids(store: Store, session: StoredSession, lines: readonly Line[]): Promise<ReadonlySet<string>> {
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
