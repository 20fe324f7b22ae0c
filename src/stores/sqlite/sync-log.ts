import { closeSync, fdatasync, fsync, openSync, realpathSync } from "node:fs";
import { dirname } from "node:path";
import { promisify } from "node:util";

/** Brings the log beside the file to the disk while the event loop goes on. SQLite itself would hold it up. */
export interface LogSync {
  /** Resolves when all that was committed before the call is on the disk. */
  sync(): Promise<void>;
  close(): void;
}

const syncFile = promisify(fdatasync);
const syncFolder = promisify(fsync);

/** Of the database at this path, which has to be open: only then its log is there, and stays the same file. */
export function createLogSync(path: string): LogSync {
  let file: number | undefined;

  async function syncNow(): Promise<void> {
    if (file === undefined) {
      // Where the path is a link, SQLite's log lies beside what it leads to.
      const real = realpathSync(path);
      // No lock of SQLite's is on this file: closing it releases none.
      file = openSync(`${real}-wal`, "r+");
      await syncNames(dirname(real));
    }
    await syncFile(file);
  }

  return {
    sync: sharedBy(syncNow),
    close: () => {
      if (file !== undefined) closeSync(file);
      file = undefined;
    },
  };
}

/** One at a time. What comes while one is under way may be too late for it, and shares the next. */
function sharedBy(run: () => Promise<void>): () => Promise<void> {
  let current: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  function start(): Promise<void> {
    const started = run();
    const over = () => {
      if (current === started) current = undefined;
    };
    current = started;
    started.then(over, over);
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

/** A file that was just made can be found again only when its folder is on the disk too. Not every system lets us see to that. */
async function syncNames(folder: string): Promise<void> {
  try {
    const opened = openSync(folder, "r");
    await syncFolder(opened).finally(() => closeSync(opened));
  } catch {
    // SQLite itself goes on in this case.
  }
}
