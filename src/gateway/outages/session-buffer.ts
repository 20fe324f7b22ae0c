import type {
  AppendOptions,
  AppendOutcome,
  FoundRecord,
  NewRecord,
  ReadOptions,
  StoredBlob,
  StoredRecord,
} from "../../core/ports/store.ts";

/** The records of one session that its store does not have yet, behind those that it has. */
export interface SessionBuffer {
  /** How many records the store has, as far as is known. */
  baseVersion(): number;
  /** The number of records as the session counts them: with those that are not in the store. */
  version(): number;
  rewriteVersion(): number;
  /** Does what `Store.append` does. Where there is no room left, records are counted and not kept. */
  append(records: readonly NewRecord[], options: AppendOptions | undefined, at: number): AppendOutcome;
  /** Does what `Store.read` does, for records that are kept here. */
  read(options?: ReadOptions): readonly StoredRecord[];
  /** Does what `Store.readBlobs` does, for blobs that are kept here. */
  readBlobs(names: readonly string[]): readonly StoredBlob[];
  /** Does what `Store.search` does, for records that are kept here. */
  search(terms: readonly string[]): readonly Pick<FoundRecord, "version" | "matches">[];
  /** The records that are kept here, the oldest first. */
  pending(): readonly BufferedRecord[];
  /** How many records there was no room for; they come after all that are kept. */
  lostRecords(): number;
  /** The first of the pending records are in the store by now. */
  written(count: number): void;
  /** Lets go of everything. */
  drop(): void;
}

export interface BufferedRecord extends NewRecord {
  readonly at: number;
}

/** The room that all buffers share. */
export interface BufferRoom {
  /** False, and nothing is taken, where there is not so much left. */
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
  /** Undefined until the session says it, or rewrites. */
  let rewriteVersion: number | undefined = storedVersion === 0 ? 0 : undefined;

  const version = () => baseVersion + pending.length + lostRecords;

  function isExpected({ expectedVersion, expectedRewriteVersion }: AppendOptions): boolean {
    if (expectedVersion !== undefined && expectedVersion !== version()) return false;
    // Only the session itself writes here, and it has read what the store has.
    rewriteVersion ??= expectedRewriteVersion;
    return expectedRewriteVersion === undefined || expectedRewriteVersion === rewriteVersion;
  }

  function keep(records: readonly NewRecord[], at: number): void {
    // What comes after something that is missing may mean nothing without it.
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

/** About what records take in memory. */
function sizeOf(records: readonly NewRecord[]): number {
  let size = 0;
  for (const { body, terms = [], blobs = [] } of records) {
    size += body.length;
    for (const term of terms) size += term.length;
    for (const { name, bytes } of blobs) size += name.length + bytes.length;
  }
  return size;
}
