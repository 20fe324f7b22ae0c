import type { Store, StoredRecord, StoredSession } from "../../core/ports/store.ts";
import { assertAppend, assertName, assertRead, assertReadBlobs } from "../../core/store/assert-store-arguments.ts";
import { appendAfterRestart } from "./append-after-restart.ts";
import { assertAnswer, assertInUse, handleOf, type OutageContext, storeKeyOf, unavailable } from "./outage-context.ts";
import { createSessionBuffer, type SessionBuffer } from "./session-buffer.ts";
import type { SessionHandle } from "./session-handles.ts";

/** Returns the store's calls that an open session makes. While the store does not answer, they are answered from memory. */
export function recordCalls(context: OutageContext): Pick<Store, "open" | "append" | "read" | "readBlobs"> {
  return {
    open: (sessionId) => openSession(context, sessionId),
    append: (...call) => append(context, ...call),
    read: (...call) => read(context, ...call),
    readBlobs: (...call) => readBlobs(context, ...call),
  };
}

async function openSession(context: OutageContext, sessionId: string): Promise<StoredSession> {
  const { behind, breaker, handles, room, now } = context;
  assertInUse(context);
  assertName("sessionId", sessionId);
  const known = handles.ofSession(sessionId);
  // The store has none of the session's records: all of them are in memory.
  if (known?.buffer?.baseVersion() === 0) return { ...known.stored, version: known.buffer.version() };
  const asked = await breaker.ask(() => behind.open(sessionId), { isReading: true });
  if (asked.type === "answered") return { ...asked.value, key: handles.forStored(asked.value).key };
  const at = now();
  const session = { id: sessionId, version: 0, rewriteVersion: 0, createdAt: at, updatedAt: at };
  return handles.forUnknown(session, createSessionBuffer(0, room)).stored;
}

async function append(
  context: OutageContext,
  ...[key, records, options]: Parameters<Store["append"]>
): ReturnType<Store["append"]> {
  const { behind, breaker, handles, now } = context;
  assertInUse(context);
  assertAppend(key, records, options);
  const handle = handles.byKey(key);
  if (handle === undefined) return assertAnswer(context, () => behind.append(key, records, options));
  if (handle.isGone) return { type: "missing" };
  const { storeKey, buffer } = handle;
  if (buffer !== undefined || storeKey === undefined) return bufferFor(context, handle).append(records, options, now());
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
  return bufferFor(context, handle).append(records, options, now());
}

async function read(
  context: OutageContext,
  ...[key, options = {}]: Parameters<Store["read"]>
): Promise<readonly StoredRecord[]> {
  const { behind, breaker } = context;
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
  const current = bufferFor(context, handle);
  if (afterVersion >= current.baseVersion()) return current.read(options);
  return readBoth(context, { key, buffer: current, options });
}

interface BufferedRead {
  readonly key: number;
  readonly buffer: SessionBuffer;
  readonly options: NonNullable<Parameters<Store["read"]>[1]>;
}

/** Reads the records that the store has of a session, and after them those of its buffer. */
async function readBoth(
  context: OutageContext,
  { key, buffer, options }: BufferedRead,
): Promise<readonly StoredRecord[]> {
  const storeKey = storeKeyOf(context, key);
  const asked = await context.breaker.ask(() => context.behind.read(storeKey, options), { isReading: true });
  if (asked.type === "unavailable") throw unavailable();
  const stored = asked.value;
  const { limit = Number.POSITIVE_INFINITY } = options;
  // Later records in the store are those of the buffer, which are being written back, or another writer's.
  const beforeBuffer = stored.filter(({ version }) => version <= buffer.baseVersion());
  return [...beforeBuffer, ...buffer.read()].slice(0, limit);
}

/** Reads blobs from the buffer, and asks the store only for those that are not there. */
async function readBlobs(
  context: OutageContext,
  ...[key, names]: Parameters<Store["readBlobs"]>
): ReturnType<Store["readBlobs"]> {
  assertInUse(context);
  assertReadBlobs(key, names);
  const buffered = handleOf(context, key)?.buffer?.readBlobs(names) ?? [];
  const bufferedNames = new Set(buffered.map(({ name }) => name));
  const missing = names.filter((name) => !bufferedNames.has(name));
  if (names.length > 0 && missing.length === 0) return buffered;
  const storeKey = storeKeyOf(context, key);
  return [...buffered, ...(await assertAnswer(context, () => context.behind.readBlobs(storeKey, missing)))];
}

/** Returns the buffer from which a session is served from now on. Throws if the session's user has not read all of its records. */
function bufferFor({ handles, room }: OutageContext, handle: SessionHandle): SessionBuffer {
  if (handle.buffer !== undefined) return handle.buffer;
  if (handle.deliveredVersion < handle.latestVersion) throw unavailable();
  const buffer = createSessionBuffer(handle.deliveredVersion, room);
  handles.useBuffer(handle, buffer);
  return buffer;
}

/** Notes an append. If other processes appended records before it, these are not counted as delivered, as the session's user must still read them. */
function noteAppended(handle: SessionHandle, version: number, count: number): void {
  if (version === handle.deliveredVersion + count) handle.deliveredVersion = version;
  handle.latestVersion = Math.max(handle.latestVersion, version);
}

/** Notes that the session's user was given `count` records after a version. */
function noteRead(handle: SessionHandle, afterVersion: number, count: number): void {
  if (afterVersion > handle.deliveredVersion) return;
  handle.deliveredVersion = Math.max(handle.deliveredVersion, afterVersion + count);
  handle.latestVersion = Math.max(handle.latestVersion, handle.deliveredVersion);
}
