import { accessSync, closeSync, constants, existsSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { failed } from "./store-error.ts";

/**
 * Makes the file, readable for its owner alone, where there is none; SQLite gives its -wal and -shm the same mode. Says
 * what is in the way where it cannot be used.
 *
 * A file that exists is never opened here: closing it would release the locks that other handles of this process hold.
 */
export function prepareFile(path: string): void {
  const folder = dirname(path);
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) {
    makeFolder(folder);
    unlessThere(() => closeSync(openSync(path, "wx", 0o600)));
  } else if (!found.isFile()) {
    throw failed(`${path} is ${found.isDirectory() ? "a folder" : "no file"}`, "Give the path of a database file");
  }
  accessSync(path, constants.R_OK | constants.W_OK);
  accessSync(folder, constants.W_OK);
}

// One by one, as Node's recursive mkdir says ENOENT on a read-only disk, which explains nothing.
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  const parent = dirname(folder);
  if (parent !== folder) makeFolder(parent);
  unlessThere(() => mkdirSync(folder, { mode: 0o700 }));
}

function unlessThere(make: () => void): void {
  try {
    make();
  } catch (error) {
    const isMadeByOther = error instanceof Error && "code" in error && error.code === "EEXIST";
    if (!isMadeByOther) throw error;
  }
}
