import type { DatabaseSync } from "node:sqlite";
import { type Head, type HeadsFile, idHash, type KeptHead, openHeadsFile } from "./heads-file.ts";
import { damaged } from "./store-error.ts";

/** Tells an older state of the database from the one that was acknowledged. */
export interface AcknowledgedHeads {
  /** In a transaction: what its commit will acknowledge. */
  note(head: Head): void;
  /** What was noted since the last call. */
  takeNoted(): readonly Head[];
  /** Once it is on the disk. */
  acknowledged(heads: readonly Head[]): void;
  /** Throws where the session has fewer records than were acknowledged. */
  assertWhole(head: Head): void;
  /** Throws where there was a session of this id. */
  assertNeverThere(id: string): void;
  /** The session was deleted; or, without a key, what is known of one that is gone. Whether there was something to forget. */
  forget(session: { readonly id: string; readonly key?: number }): boolean;
  close(): void;
}

/**
 * SQLite takes what lies behind a damaged frame of its log for a write that was never finished: the file is then what it was at an earlier
 * commit, and whole. Looks for that once, when the file is opened: later it cannot happen.
 */
export function openAcknowledgedHeads(connection: DatabaseSync, path: string): AcknowledgedHeads {
  const identity = connection.prepare("SELECT id FROM store_identity").get()?.id;
  const file = openHeadsFile(path, String(identity));
  // Those that were short when the file was opened. The file has the last word: somebody may have deleted one since.
  const short = findShort(connection, file);
  let noted = new Map<number, Head>();

  const isStill = (head: KeptHead | undefined) => head !== undefined && file.readAt(head.key)?.idHash === head.idHash;
  const shortWith = (id: string) => short.find((head) => head.isLost && head.idHash === idHash(id));

  return {
    note: (head) => noted.set(head.key, head),
    takeNoted: () => {
      const taken = [...noted.values()];
      noted = new Map();
      return taken;
    },
    acknowledged: (heads) => {
      for (const { key, id, version } of heads) {
        quietly(() => file.write({ key, version, idHash: idHash(id), isLost: false }));
      }
    },
    assertWhole: ({ key, id, version }) => {
      const head = short.length === 0 ? undefined : short.find((each) => each.key === key && !each.isLost);
      if (head === undefined || !isStill(head)) return;
      const what = `the session ${JSON.stringify(id)} has ${version} records, but ${head.version} were acknowledged`;
      throw rolledBack(path, file.path, what);
    },
    assertNeverThere: (id) => {
      const head = short.length === 0 ? undefined : shortWith(id);
      if (head === undefined || !isStill(head)) return;
      const what = `the session ${JSON.stringify(id)} is gone, but ${head.version} records of it were acknowledged`;
      throw rolledBack(path, file.path, what);
    },
    forget: ({ id, key = shortWith(id)?.key }) => {
      if (key === undefined || file.readAt(key)?.idHash !== idHash(id)) return false;
      quietly(() => file.clear(key));
      return true;
    },
    close: () => file.close(),
  };
}

/** The heads that the database does not come up to. Those of sessions that are gone are marked: their keys may not be given again. */
function findShort(connection: DatabaseSync, file: HeadsFile): readonly KeptHead[] {
  const newest = connection.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'sessions'").get()?.seq;
  const find = connection.prepare("SELECT version, id FROM sessions WHERE key = ?");
  const short: KeptHead[] = [];
  for (const head of file.read()) {
    const row = find.get(head.key);
    if (row !== undefined && idHash(String(row.id)) === head.idHash) {
      if (Number(row.version) < head.version) short.push(head);
    } else if (head.isLost || head.key > Number(newest ?? 0)) short.push(markLost(connection, file, head));
  }
  return short;
}

/** A session that was deleted leaves its key used up; one whose making is gone does not. */
function markLost(connection: DatabaseSync, file: HeadsFile, head: KeptHead): KeptHead {
  const lost = { ...head, isLost: true };
  if (head.isLost) return lost;
  file.write(lost);
  connection
    .prepare(
      `INSERT OR REPLACE INTO sqlite_sequence (rowid, name, seq)
       SELECT (SELECT rowid FROM sqlite_sequence WHERE name = 'sessions'), 'sessions',
         max(:key, coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'sessions'), 0))`,
    )
    .run({ key: head.key });
  return lost;
}

/** Where it cannot be written, a loss may go unnoticed; what was acknowledged is on the disk all the same. */
function quietly(write: () => void): void {
  try {
    write();
  } catch {
    // Nothing that the caller asked for has failed.
  }
}

function rolledBack(path: string, headsPath: string, what: string) {
  return damaged(
    path,
    `${what}: the newest are missing, as its -wal was damaged or an older copy was put in its place. To go on with what is there, delete ` +
      `the session, or ${headsPath} for all sessions`,
  );
}
