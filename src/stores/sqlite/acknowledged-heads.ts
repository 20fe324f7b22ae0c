import type { DatabaseSync } from "node:sqlite";
import { type Head, type HeadsFile, idHash, type KeptHead, openHeadsFile } from "./heads-file.ts";
import { damaged } from "./store-error.ts";

/** Detects that the database is in an older state than the one that was acknowledged. */
export interface AcknowledgedHeads {
  /** Called in a transaction, with a head that its commit will acknowledge. */
  note(head: Head): void;
  /** The heads that were noted since the last call. */
  takeNoted(): readonly Head[];
  /** Records heads whose commit is on the disk. */
  acknowledged(heads: readonly Head[]): void;
  /** Throws where the session has fewer records than were acknowledged. */
  assertWhole(head: Head): void;
  /** Throws where records of a session with this id were acknowledged, and the session is lost. */
  assertNeverThere(id: string): void;
  /** Removes the head of a deleted session or, without a key, that of a lost one. Returns whether there was one. */
  forget(session: { readonly id: string; readonly key?: number }): boolean;
  close(): void;
}

/**
 * SQLite takes the frames behind a damaged frame of its log for a write that was never finished: the file is then in the intact state of an
 * earlier commit. This is checked once, when the file is opened, because it cannot happen later.
 */
export function openAcknowledgedHeads(connection: DatabaseSync, path: string): AcknowledgedHeads {
  const identity = connection.prepare("SELECT id FROM store_identity").get()?.id;
  const file = openHeadsFile(path, String(identity));
  // The heads as of opening. Each is compared with the heads file again, because another process may have deleted its session since.
  const rolledBackHeads = findRolledBack(connection, file);
  let noted = new Map<number, Head>();

  const isInFile = (head: KeptHead) => file.readAt(head.key)?.idHash === head.idHash;
  const findLost = (id: string) => rolledBackHeads.find((head) => head.isLost && head.idHash === idHash(id));

  return {
    note: (head) => noted.set(head.key, head),
    takeNoted: () => {
      const taken = [...noted.values()];
      noted = new Map();
      return taken;
    },
    acknowledged: (heads) => {
      for (const { key, id, version } of heads) {
        ignoreFailure(() => file.write({ key, version, idHash: idHash(id), isLost: false }));
      }
    },
    assertWhole: ({ key, id, version }) => {
      const head = rolledBackHeads.find((rolledBack) => rolledBack.key === key && !rolledBack.isLost);
      if (head === undefined || !isInFile(head)) return;
      const what = `the session ${JSON.stringify(id)} has ${version} records, but ${head.version} were acknowledged`;
      throw rolledBackError(path, file.path, what);
    },
    assertNeverThere: (id) => {
      const head = rolledBackHeads.length === 0 ? undefined : findLost(id);
      if (head === undefined || !isInFile(head)) return;
      const what = `the session ${JSON.stringify(id)} is gone, but ${head.version} records of it were acknowledged`;
      throw rolledBackError(path, file.path, what);
    },
    forget: ({ id, key = findLost(id)?.key }) => {
      if (key === undefined || file.readAt(key)?.idHash !== idHash(id)) return false;
      ignoreFailure(() => file.clear(key));
      return true;
    },
    close: () => file.close(),
  };
}

/** The heads with more records than the database has. Those of lost sessions are marked, so that their keys are never reused. */
function findRolledBack(connection: DatabaseSync, file: HeadsFile): readonly KeptHead[] {
  const newest = connection.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'sessions'").get()?.seq;
  const find = connection.prepare("SELECT version, id FROM sessions WHERE key = ?");
  const rolledBack: KeptHead[] = [];
  for (const head of file.read()) {
    const row = find.get(head.key);
    if (row !== undefined && idHash(String(row.id)) === head.idHash) {
      if (Number(row.version) < head.version) rolledBack.push(head);
    } else if (head.isLost || head.key > Number(newest ?? 0)) rolledBack.push(markLost(connection, file, head));
  }
  return rolledBack;
}

/** Marks a lost session, and its key as used: the key of a deleted session stays used, but that of one whose creation was rolled back does not. */
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

/** Ignores a heads file that cannot be written: a later loss may go unnoticed then, but the acknowledged records are on the disk. */
function ignoreFailure(write: () => void): void {
  try {
    write();
  } catch {
    // The caller's own write has succeeded.
  }
}

function rolledBackError(path: string, headsPath: string, what: string) {
  return damaged(
    path,
    `${what}: the newest are missing, as its -wal was damaged or an older copy was put in its place. To go on with what is there, delete ` +
      `the session, or ${headsPath} for all sessions`,
  );
}
