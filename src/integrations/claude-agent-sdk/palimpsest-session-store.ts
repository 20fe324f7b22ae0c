import { assertFunction, assertObject } from "../../core/assert.ts";
import type { Store } from "../../core/ports/store.ts";
import { appendLines, readEntries, readTranscript } from "./transcript.ts";
import { assertName, checkKey, lastPartOf, sessionsTerm, storedIdOf, subkeysTerm } from "./transcript-key.ts";
import type { ClaudeSessionStore } from "./types.ts";

export interface PalimpsestSessionStoreOptions {
  /** The store that keeps transcripts: `memoryStore()`, `sqliteStore()` or `postgresStore()`. It may hold sessions too. */
  readonly store: Store;
}

/**
 * A session store of the Claude Agent SDK over one of our stores: transcripts outlive the machine that wrote them, and any number of processes may
 * write. Entries are returned in order and byte for byte; an entry whose `uuid` is stored already is not added again. A transcript is a session of
 * its own in the store, whose name begins with `claude-agent:`; it holds what the SDK wrote, unfolded.
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
      const ids = await findTranscripts(store, sessionsTerm(projectKey));
      const sessions = await Promise.all(ids.map((id) => store.find(id)));
      return sessions.flatMap((session) =>
        session === undefined ? [] : [{ sessionId: lastPartOf(session.id), mtime: Math.floor(session.updatedAt) }],
      );
    },
    async delete(key) {
      checkKey(key);
      // The session itself is deleted last: if this fails half way, it can be deleted again.
      const subkeys = key.subpath === undefined ? await findTranscripts(store, subkeysTerm(key)) : [];
      for (const id of [...subkeys, storedIdOf(key)]) await store.delete(id);
    },
    async listSubkeys(key) {
      checkKey(key);
      return (await findTranscripts(store, subkeysTerm(key))).map(lastPartOf);
    },
  };
}

/** The names of the transcripts whose first record has this term. */
async function findTranscripts(store: Store, term: string): Promise<readonly string[]> {
  const found = await store.search([term]);
  return found.map(({ sessionId }) => sessionId);
}

/** Returns a function that runs the tasks of each name one after the other: batches are stored in the order of the calls. */
function createQueues(): (name: string, task: () => Promise<void>) => Promise<void> {
  const lastTasks = new Map<string, Promise<void>>();
  return (name, task) => {
    const result = (lastTasks.get(name) ?? Promise.resolve()).then(task);
    const settled = result
      .catch(() => undefined)
      .then(() => {
        if (lastTasks.get(name) === settled) lastTasks.delete(name);
      });
    lastTasks.set(name, settled);
    return result;
  };
}
