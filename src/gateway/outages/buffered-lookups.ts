import type { FoundRecord, SearchOptions, Store, StoredSession } from "../../core/ports/store.ts";
import { assertName, assertSearch } from "../../core/store/assert-store-arguments.ts";
import { assertAnswer, assertInUse, handleOf, type OutageContext } from "./outage-context.ts";
import type { SessionHandle } from "./session-handles.ts";

/** What `find` and `search` do while the store does not answer: throw, or answer from what is in memory. */
export type Completeness = "complete" | "as far as known";

/** Returns the store's calls that look for sessions, which are completed by the sessions in memory. */
export function lookupCalls(
  context: OutageContext,
  completeness: Completeness,
): Pick<Store, "find" | "list" | "search" | "delete"> {
  const { behind, breaker, handles } = context;

  /** Asks the store. If it does not answer, returns undefined, or throws if the answer must be complete. */
  async function ask<Value>(call: () => Promise<Value>): Promise<Value | undefined> {
    if (completeness === "complete") return assertAnswer(context, call);
    const asked = await breaker.ask(call, { isReading: true });
    return asked.type === "answered" ? asked.value : undefined;
  }

  /** Returns a session of the store as its users know it: with their key, and in the state of its buffer if it has one. */
  function asKnown(stored: StoredSession): StoredSession {
    const handle = handles.ofSession(stored.id);
    if (handle?.storeKey === stored.key && handle.buffer !== undefined) return inMemory(handle);
    return { ...stored, key: handles.keyFor(stored.id, stored.key) };
  }

  const search: Store["search"] = async (terms, searchOptions = {}) => {
    assertInUse(context);
    assertSearch(terms, searchOptions);
    const { sessionKey, limit = Number.POSITIVE_INFINITY } = searchOptions;
    const handle = sessionKey === undefined ? undefined : handleOf(context, sessionKey);
    const isOnlyHere = handle !== undefined && handle.storeKey === undefined;
    const options = storeSearch(searchOptions, handle);
    const stored = isOnlyHere ? [] : ((await ask(() => behind.search(terms, options))) ?? []);
    const buffered = handles.buffered().filter(({ key }) => sessionKey === undefined || key === sessionKey);
    const withKnownKey = (found: FoundRecord) => ({
      ...found,
      sessionKey: handles.keyFor(found.sessionId, found.sessionKey),
    });
    const found = [...buffered.flatMap((session) => foundIn(session, terms)), ...stored.map(withKnownKey)];
    return found.toSorted((one, other) => other.matches - one.matches).slice(0, limit);
  };

  return {
    search,
    find: async (sessionId) => {
      assertInUse(context);
      assertName("sessionId", sessionId);
      const buffered = handles.ofSession(sessionId);
      if (buffered?.buffer !== undefined) return inMemory(buffered);
      const answer = await ask(async () => ({ found: await behind.find(sessionId) }));
      if (answer !== undefined) return answer.found && asKnown(answer.found);
      const known = handles.ofSession(sessionId);
      return known && inMemory(known);
    },
    list: async (options) => {
      const listed = await assertAnswer(context, () => behind.list(options));
      const isOnlyHere = ({ storeKey, isGone }: SessionHandle) => storeKey === undefined && !isGone;
      return [...handles.buffered().filter(isOnlyHere).map(inMemory), ...listed.map(asKnown)].slice(0, options?.limit);
    },
    delete: async (sessionId) => {
      const isDeleted = await assertAnswer(context, () => behind.delete(sessionId));
      handles.forget(sessionId);
      return isDeleted;
    },
  };
}

/** The options of a search with the session's key in the store. */
function storeSearch(
  { sessionKey, limit = Number.POSITIVE_INFINITY }: SearchOptions,
  handle: SessionHandle | undefined,
): SearchOptions {
  const storeKey = handle === undefined ? sessionKey : handle.storeKey;
  return {
    ...(storeKey === undefined ? {} : { sessionKey: storeKey }),
    ...(limit === Number.POSITIVE_INFINITY ? {} : { limit }),
  };
}

/** Describes a session by what is in memory of it. */
function inMemory({ stored, key, buffer, latestVersion }: SessionHandle): StoredSession {
  if (buffer === undefined) return { ...stored, key, version: latestVersion };
  return { ...stored, key, version: buffer.version(), rewriteVersion: buffer.rewriteVersion() };
}

/** Searches the buffer of a session; the newest records come first. */
function foundIn({ key, id, buffer, isGone }: SessionHandle, terms: readonly string[]): readonly FoundRecord[] {
  if (buffer === undefined || isGone) return [];
  return buffer
    .search(terms)
    .map((found) => ({ ...found, sessionKey: key, sessionId: id }))
    .toReversed();
}
