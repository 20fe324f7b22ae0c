import { assert, assertArray, assertFunction, assertObject } from "../../core/assert.ts";
import { PalimpsestError } from "../../core/errors.ts";
import { tryParseJson } from "../../core/json/parse-json.ts";
import { asName, isRecord } from "../../core/json/read-json.ts";
import type { NewRecord, Store, StoredSession } from "../../core/ports/store.ts";
import {
  assertName,
  checkKey,
  entryTerm,
  lastPartOf,
  listTerm,
  sessionsTerm,
  storedIdOf,
  subkeysTerm,
} from "./transcript-key.ts";
import type { ClaudeSessionEntry, ClaudeSessionKey, ClaudeSessionStore } from "./types.ts";

export interface PalimpsestSessionStoreOptions {
  /** Where transcripts are kept: `memoryStore()`, `sqliteStore()` or `postgresStore()`; one that sessions are in will do. */
  readonly store: Store;
}

/** Others may write to the transcript, or delete it, at the same time. */
const MAX_TRIES = 50;

/**
 * A session store of the Claude Agent SDK over one of our stores: transcripts outlive the machine that they were written on, and any number of
 * processes may write. Entries come back in order and byte for byte; one with a `uuid` that is there already is not added again. A transcript is
 * a session of its own in the store, whose name begins with `claude-agent:`; it holds what the SDK wrote, unfolded.
 * @example
 * ```ts
 * import { palimpsestSessionStore } from "palimpsest/claude-agent-sdk";
 * import { memoryStore } from "palimpsest/stores/memory";
 * const sessionStore = palimpsestSessionStore({ store: memoryStore() }); // query({ prompt, options: { sessionStore } })
 * const key = { projectKey: "ship", sessionId: "s1" };
 * await sessionStore.append(key, [{ type: "user", uuid: "u1" }]);
 * console.log(await sessionStore.load(key)); // [ { type: 'user', uuid: 'u1' } ]
 * ```
 */
export function palimpsestSessionStore(options: PalimpsestSessionStoreOptions): ClaudeSessionStore {
  assertObject("options", options);
  assertObject("options.store", options.store);
  assertFunction("options.store.append", options.store.append);
  const { store } = options;
  const enqueue = createQueues();

  async function subkeysOf(key: { projectKey: string; sessionId: string }): Promise<readonly string[]> {
    const found = await store.search([subkeysTerm(key)]);
    return found.map(({ sessionId }) => sessionId);
  }

  return {
    async append(key, entries) {
      checkKey(key);
      const lines = readEntries(entries);
      if (lines.length > 0) await enqueue(storedIdOf(key), () => appendLines(store, key, lines));
    },
    async load(key) {
      checkKey(key);
      const session = await store.find(storedIdOf(key));
      const entries = session === undefined ? [] : await readTranscript(store, session);
      return entries.length === 0 ? null : entries;
    },
    async listSessions(projectKey) {
      assertName("projectKey", projectKey);
      const found = await store.search([sessionsTerm(projectKey)]);
      const sessions = await Promise.all(found.map(({ sessionId }) => store.find(sessionId)));
      return sessions.flatMap((session) =>
        session === undefined ? [] : [{ sessionId: lastPartOf(session.id), mtime: Math.floor(session.updatedAt) }],
      );
    },
    async delete(key) {
      checkKey(key);
      // The session itself goes last: where this ends half way, it is still there to be deleted again.
      const subkeys = key.subpath === undefined ? await subkeysOf(key) : [];
      for (const id of [...subkeys, storedIdOf(key)]) await store.delete(id);
    },
    async listSubkeys(key) {
      checkKey(key);
      return (await subkeysOf(key)).map(lastPartOf);
    },
  };
}

/** Runs the tasks of one name one after the other: batches are kept in the order in which they were given. */
function createQueues(): (name: string, task: () => Promise<void>) => Promise<void> {
  const last = new Map<string, Promise<void>>();
  return (name, task) => {
    const result = (last.get(name) ?? Promise.resolve()).then(task);
    const settled = result
      .catch(() => undefined)
      .then(() => {
        if (last.get(name) === settled) last.delete(name);
      });
    last.set(name, settled);
    return result;
  };
}

/** An entry as it is kept. */
interface Line {
  readonly body: string;
  readonly uuid: string | undefined;
}

/** The entries of one batch; one that is in it twice counts once. */
function readEntries(entries: readonly ClaudeSessionEntry[]): readonly Line[] {
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

async function appendLines(store: Store, key: ClaudeSessionKey, lines: readonly Line[]): Promise<void> {
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

async function readTranscript(store: Store, session: StoredSession): Promise<ClaudeSessionEntry[]> {
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
