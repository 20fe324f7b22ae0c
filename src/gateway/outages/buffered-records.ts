import type { Store, StoredRecord } from "../../core/ports/store.ts";
import { assertAppend, assertName, assertRead, assertReadBlobs } from "../../core/store/assert-store-arguments.ts";
import { appendAfterRestart } from "./append-after-restart.ts";
import { assertAnswer, assertInUse, handleOf, type OutageContext, storeKeyOf, unavailable } from "./outage-context.ts";
import { createSessionBuffer, type SessionBuffer } from "./session-buffer.ts";
import type { SessionHandle } from "./session-handles.ts";

/** The calls that sessions live on: where the store does not answer, they are answered from memory. */
export function recordCalls(context: OutageContext): Pick<Store, "open" | "append" | "read" | "readBlobs"> {
  const { behind, breaker, handles, room, now } = context;

  /** Serves a session from memory from now on; refused where its user does not have all of its records. */
  function bufferFor(handle: SessionHandle): SessionBuffer {
    if (handle.buffer !== undefined) return handle.buffer;
    if (handle.deliveredVersion < handle.latestVersion) throw unavailable();
    const buffer = createSessionBuffer(handle.deliveredVersion, room);
    handles.useBuffer(handle, buffer);
    return buffer;
  }

  const append: Store["append"] = async (key, records, options) => {
    assertInUse(context);
    assertAppend(key, records, options);
    const handle = handles.byKey(key);
    if (handle === undefined) return assertAnswer(context, () => behind.append(key, records, options));
    if (handle.isGone) return { type: "missing" };
    const { storeKey, buffer } = handle;
    if (buffer !== undefined || storeKey === undefined) return bufferFor(handle).append(records, options, now());
    const baseVersion = handle.deliveredVersion;
    const asked = await breaker.ask(() => behind.append(storeKey, records, options));
    const outcome =
      asked.type === "answered"
        ? asked.value
        : await appendAfterRestart(context, { handle, storeKey, records, options, baseVersion });
    if (outcome?.type === "appended") noteAppended(handle, outcome.version, records.length);
    if (outcome !== undefined) return outcome;
    if (asked.type === "answered") return asked.value;
    const { settled } = asked;
    handle.unsettled.add(settled);
    void settled.then(() => handle.unsettled.delete(settled));
    return bufferFor(handle).append(records, options, now());
  };

  const read: Store["read"] = async (key, options = {}) => {
    assertInUse(context);
    assertRead(key, options);
    const handle = handleOf(context, key);
    if (handle === undefined) return assertAnswer(context, () => behind.read(key, options));
    const { storeKey, buffer } = handle;
    const { afterVersion = 0 } = options;
    if (buffer === undefined && storeKey !== undefined) {
      const asked = await breaker.ask(() => behind.read(storeKey, options), { isReading: true });
      if (asked.type === "answered") {
        noteRead(handle, afterVersion, asked.value.length);
        return asked.value;
      }
    }
    const current = bufferFor(handle);
    return afterVersion >= current.baseVersion() ? current.read(options) : readBoth(handle, current, options);
  };

  /** What the store has of a session, and what is behind that in memory. */
  async function readBoth(
    handle: SessionHandle,
    buffer: SessionBuffer,
    options: Parameters<Store["read"]>[1],
  ): Promise<readonly StoredRecord[]> {
    const storeKey = storeKeyOf(context, handle.key);
    const asked = await breaker.ask(() => behind.read(storeKey, options), { isReading: true });
    if (asked.type === "unavailable") throw unavailable();
    const stored = asked.value;
    const { limit = Number.POSITIVE_INFINITY } = options ?? {};
    const known = stored.filter(({ version }) => version <= buffer.baseVersion());
    return [...known, ...buffer.read()].slice(0, limit);
  }

  /** Those that wait are in memory; the rest is asked for only where some are left. */
  const readBlobs: Store["readBlobs"] = async (key, names) => {
    assertInUse(context);
    assertReadBlobs(key, names);
    const waiting = handleOf(context, key)?.buffer?.readBlobs(names) ?? [];
    const found = new Set(waiting.map(({ name }) => name));
    const left = names.filter((name) => !found.has(name));
    if (names.length > 0 && left.length === 0) return waiting;
    const storeKey = storeKeyOf(context, key);
    return [...waiting, ...(await assertAnswer(context, () => behind.readBlobs(storeKey, left)))];
  };

  return {
    append,
    read,
    readBlobs,
    open: async (sessionId) => {
      assertInUse(context);
      assertName("sessionId", sessionId);
      const known = handles.ofSession(sessionId);
      // All that there is of it is in memory.
      if (known?.buffer?.baseVersion() === 0) return { ...known.stored, version: known.buffer.version() };
      const asked = await breaker.ask(() => behind.open(sessionId), { isReading: true });
      if (asked.type === "answered") return { ...asked.value, key: handles.forStored(asked.value).key };
      const at = now();
      const session = { id: sessionId, version: 0, rewriteVersion: 0, createdAt: at, updatedAt: at };
      return handles.forUnknown(session, createSessionBuffer(0, room)).stored;
    },
  };
}

/** Others may have written before: then its user reads what that was. */
function noteAppended(handle: SessionHandle, version: number, count: number): void {
  if (version === handle.deliveredVersion + count) handle.deliveredVersion = version;
  handle.latestVersion = Math.max(handle.latestVersion, version);
}

function noteRead(handle: SessionHandle, afterVersion: number, count: number): void {
  if (afterVersion > handle.deliveredVersion) return;
  handle.deliveredVersion = Math.max(handle.deliveredVersion, afterVersion + count);
  handle.latestVersion = Math.max(handle.latestVersion, handle.deliveredVersion);
}
