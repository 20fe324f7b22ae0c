import type {
  AppendOptions,
  AppendOutcome,
  FoundRecord,
  NewRecord,
  ReadOptions,
  StoredBlob,
  StoredRecord,
} from "../../core/ports/store.ts";

/** Keeps the newest records of one session in memory: those that its store does not have yet. */
export interface SessionBuffer {
  /** How many records of the session the store has, as far as is known. The buffered records follow them. */
  baseVersion(): number;
  /** The session's version: the records in the store, those in the buffer, and those that were lost. */
  version(): number;
  rewriteVersion(): number;
  /** Does what `Store.append` does. If there is no room left, the records are counted as lost and not kept. */
  append(records: readonly NewRecord[], options: AppendOptions | undefined, at: number): AppendOutcome;
  /** Does what `Store.read` does, for records that are kept here. */
  read(options?: ReadOptions): readonly StoredRecord[];
  /** Does what `Store.readBlobs` does, for blobs that are kept here. */
  readBlobs(names: readonly string[]): readonly StoredBlob[];
  /** Does what `Store.search` does, for records that are kept here. */
  search(terms: readonly string[]): readonly Pick<FoundRecord, "version" | "matches">[];
  /** The records that are kept here, the oldest first. */
  pending(): readonly BufferedRecord[];
  /** How many records were lost because there was no room for them. They come after all records that are kept. */
  lostRecords(): number;
  /** Removes the first `count` pending records, which are in the store now. */
  written(count: number): void;
  /** Removes all records, and gives their room back. */
  drop(): void;
}

export interface BufferedRecord extends NewRecord {
  readonly at: number;
}

/** The limit on the memory of all buffers together. */
export interface BufferRoom {
  /** Takes bytes. Returns false, and takes nothing, if fewer are left. */
  take(bytes: number): boolean;
  giveBack(bytes: number): void;
}

export function createBufferRoom(maxBytes: number): BufferRoom {
  let used = 0;
  return {
    take: (bytes) => {
      if (used + bytes > maxBytes) return false;
      used += bytes;
      return true;
    },
    giveBack: (bytes) => {
      used -= bytes;
    },
  };
}

export function createSessionBuffer(storedVersion: number, room: BufferRoom): SessionBuffer {
  let baseVersion = storedVersion;
  let pending: BufferedRecord[] = [];
  let lostRecords = 0;
  /** Undefined until the session's user names the version that it expects, or appends a rewrite. */
  let rewriteVersion: number | undefined = storedVersion === 0 ? 0 : undefined;

  const version = () => baseVersion + pending.length + lostRecords;

  function isExpected({ expectedVersion, expectedRewriteVersion }: AppendOptions): boolean {
    if (expectedVersion !== undefined && expectedVersion !== version()) return false;
    // The buffer's only writer is the session's user, which has read the records of the store and so knows the right version.
    rewriteVersion ??= expectedRewriteVersion;
    return expectedRewriteVersion === undefined || expectedRewriteVersion === rewriteVersion;
  }

  function keep(records: readonly NewRecord[], at: number): void {
    // After a lost record no further one is kept, because later records may depend on it.
    if (lostRecords > 0 || !room.take(sizeOf(records))) lostRecords += records.length;
    else pending.push(...records.map((record) => ({ ...record, at })));
  }

  return {
    baseVersion: () => baseVersion,
    version,
    rewriteVersion: () => rewriteVersion ?? 0,
    append: (records, options = {}, at) => {
      if (!isExpected(options)) {
        return { type: "conflict", version: version(), rewriteVersion: rewriteVersion ?? 0 };
      }
      const rewrite = records.findLastIndex(({ isRewrite }) => isRewrite === true);
      if (rewrite !== -1) rewriteVersion = version() + rewrite + 1;
      keep(records, at);
      return { type: "appended", version: version(), rewriteVersion: rewriteVersion ?? 0 };
    },
    read: ({ afterVersion = 0, limit = Number.POSITIVE_INFINITY } = {}) => {
      const from = Math.max(0, afterVersion - baseVersion);
      return pending
        .slice(from, from + limit)
        .map(({ body, at }, index) => ({ version: baseVersion + from + index + 1, at, body }));
    },
    readBlobs: (names) => {
      const wanted = new Set(names);
      return pending.flatMap(({ blobs = [] }) => blobs.filter(({ name }) => wanted.delete(name)));
    },
    search: (terms) => {
      const wanted = new Set(terms);
      return pending.flatMap(({ terms: own = [] }, index) => {
        const matches = new Set(own.filter((term) => wanted.has(term))).size;
        return matches === 0 ? [] : [{ version: baseVersion + index + 1, matches }];
      });
    },
    pending: () => pending,
    lostRecords: () => lostRecords,
    written: (count) => {
      room.giveBack(sizeOf(pending.slice(0, count)));
      pending = pending.slice(count);
      baseVersion += count;
    },
    drop: () => {
      room.giveBack(sizeOf(pending));
      pending = [];
    },
  };
}

/** Estimates the memory that records take. */
function sizeOf(records: readonly NewRecord[]): number {
  let size = 0;
  for (const { body, terms = [], blobs = [] } of records) {
    size += body.length;
    for (const term of terms) size += term.length;
    for (const { name, bytes } of blobs) size += name.length + bytes.length;
  }
  return size;
}
