import { closeSync, fdatasync, fsync, openSync, realpathSync } from "node:fs";
import { dirname } from "node:path";
import { promisify } from "node:util";

/** Syncs SQLite's write-ahead log without blocking the event loop, as SQLite itself would. */
export interface LogSync {
  /** Resolves when everything that was committed before the call is on the disk. */
  sync(): Promise<void>;
  close(): void;
}

const syncFile = promisify(fdatasync);
const syncFolder = promisify(fsync);

/** Creates a sync for the database at this path. The database must be open: only then its log exists, and stays the same file. */
export function createLogSync(path: string): LogSync {
  let file: number | undefined;

  async function syncNow(): Promise<void> {
    if (file === undefined) {
      // Where the path is a link, SQLite's log is beside the target.
      const real = realpathSync(path);
      // SQLite holds no locks on the log, so that closing this descriptor releases none.
      file = openSync(`${real}-wal`, "r+");
      await syncFolderEntries(dirname(real));
    }
    await syncFile(file);
  }

  return {
    sync: coalesce(syncNow),
    close: () => {
      if (file !== undefined) closeSync(file);
      file = undefined;
    },
  };
}

/** Runs one call at a time. Calls that come while one is running may be too late for it, and share the next run. */
function coalesce(run: () => Promise<void>): () => Promise<void> {
  let current: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  function start(): Promise<void> {
    const started = run();
    const clear = () => {
      if (current === started) current = undefined;
    };
    current = started;
    started.then(clear, clear);
    return started;
  }

  function startNext(): Promise<void> {
    next = undefined;
    return start();
  }

  return () => {
    if (current === undefined) return start();
    next ??= current.then(startNext, startNext);
    return next;
  };
}

/** Syncs a folder: a new file can be lost in a power cut until its folder is on the disk, too. Not every system supports it. */
async function syncFolderEntries(folder: string): Promise<void> {
  try {
    const opened = openSync(folder, "r");
    await syncFolder(opened).finally(() => closeSync(opened));
  } catch {
    // SQLite itself ignores this failure.
  }
}
