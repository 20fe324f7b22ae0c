import type { FoundRecord, Store, StoredSession } from "../../core/ports/store.ts";
import { assertName, assertSearch } from "../../core/store/assert-store-arguments.ts";
import { assertAnswer, assertInUse, handleOf, type OutageContext } from "./outage-context.ts";
import type { SessionHandle } from "./session-handles.ts";

/** What a lookup does where the store does not answer: it refuses, or answers from what is in memory. */
export type Completeness = "complete" | "as far as known";

/** The calls that look for sessions. */
export function lookupCalls(
  context: OutageContext,
  completeness: Completeness,
): Pick<Store, "find" | "list" | "search" | "delete"> {
  const { behind, breaker, handles } = context;

  /** Undefined where the store does not answer, and that will do. */
  async function ask<Value>(call: () => Promise<Value>): Promise<Value | undefined> {
    if (completeness === "complete") return assertAnswer(context, call);
    const asked = await breaker.ask(call, { isReading: true });
    return asked.type === "answered" ? asked.value : undefined;
  }

  /** A session of the store with the key that its users know it by. */
  function told(stored: StoredSession): StoredSession {
    const handle = handles.ofSession(stored.id);
    if (handle?.storeKey === stored.key && handle.buffer !== undefined) return inMemory(handle);
    return { ...stored, key: handles.keyFor(stored.id, stored.key) };
  }

  const search: Store["search"] = async (terms, searchOptions = {}) => {
    assertInUse(context);
    assertSearch(terms, searchOptions);
    const { sessionKey, limit = Number.POSITIVE_INFINITY } = searchOptions;
    const handle = sessionKey === undefined ? undefined : handleOf(context, sessionKey);
    const storeKey = handle === undefined ? sessionKey : handle.storeKey;
    const options = {
      ...(storeKey === undefined ? {} : { sessionKey: storeKey }),
      ...(limit === Number.POSITIVE_INFINITY ? {} : { limit }),
    };
    const isOnlyHere = handle !== undefined && storeKey === undefined;
    const stored = isOnlyHere ? [] : ((await ask(() => behind.search(terms, options))) ?? []);
    const buffered = handles.buffered().filter(({ key }) => sessionKey === undefined || key === sessionKey);
    const found = [...buffered.flatMap((each) => foundIn(each, terms)), ...stored.map(foundAs)];
    return found.toSorted((one, other) => other.matches - one.matches).slice(0, limit);
  };

  function foundAs(found: FoundRecord): FoundRecord {
    return { ...found, sessionKey: handles.keyFor(found.sessionId, found.sessionKey) };
  }

  return {
    search,
    find: async (sessionId) => {
      assertInUse(context);
      assertName("sessionId", sessionId);
      const buffered = handles.ofSession(sessionId);
      if (buffered?.buffer !== undefined) return inMemory(buffered);
      const answer = await ask(async () => ({ found: await behind.find(sessionId) }));
      if (answer !== undefined) return answer.found && told(answer.found);
      const known = handles.ofSession(sessionId);
      return known && inMemory(known);
    },
    list: async (options) => {
      const listed = await assertAnswer(context, () => behind.list(options));
      const isOnlyHere = ({ storeKey, isGone }: SessionHandle) => storeKey === undefined && !isGone;
      return [...handles.buffered().filter(isOnlyHere).map(inMemory), ...listed.map(told)].slice(0, options?.limit);
    },
    delete: async (sessionId) => {
      const isDeleted = await assertAnswer(context, () => behind.delete(sessionId));
      handles.forget(sessionId);
      return isDeleted;
    },
  };
}

function inMemory({ stored, key, buffer, latestVersion }: SessionHandle): StoredSession {
  if (buffer === undefined) return { ...stored, key, version: latestVersion };
  return { ...stored, key, version: buffer.version(), rewriteVersion: buffer.rewriteVersion() };
}

/** The newest first. */
function foundIn({ key, id, buffer, isGone }: SessionHandle, terms: readonly string[]): readonly FoundRecord[] {
  if (buffer === undefined || isGone) return [];
  return buffer
    .search(terms)
    .map((found) => ({ ...found, sessionKey: key, sessionId: id }))
    .toReversed();
}
