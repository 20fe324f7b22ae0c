import { PalimpsestError } from "../../core/errors.ts";

const BUSY = 5;
const LOCKED = 6;

/** What error messages say about the database. */
export interface FailurePlace {
  readonly path: string;
  readonly busyTimeoutMs: number;
}

/** Whether another process has the database locked, so that a retry may help. */
export function isBusy(error: unknown): boolean {
  const code = resultCode(error);
  return code === BUSY || code === LOCKED;
}

/** A PalimpsestError for an error of SQLite or of the file system, which says how to fix it; other errors are returned as they are. */
export function toStoreError(error: unknown, place: FailurePlace): unknown {
  if (error instanceof PalimpsestError || !(error instanceof Error)) return error;
  const code = resultCode(error);
  if (code !== undefined) return fromSqlite(code, error.message, place);
  const systemCode = "code" in error && typeof error.code === "string" ? error.code : "";
  if (systemCode === "ERR_OUT_OF_RANGE") return damaged(place.path, error.message);
  return /^E[A-Z]+$/.test(systemCode) ? fromSystem(systemCode, error.message, place) : error;
}

/** The error for a file that differs from what was written. */
export function damaged(path: string, what: string): PalimpsestError {
  const fix = "Restore the file from a backup, or move it away (with its -wal and -shm) to start anew";
  return new PalimpsestError("store-damaged", `${path} is damaged: ${what}. ${fix}.`);
}

// https://www.sqlite.org/rescode.html
function fromSqlite(code: number, message: string, { path, busyTimeoutMs }: FailurePlace): PalimpsestError {
  switch (code) {
    case BUSY:
    case LOCKED:
      return failed(
        `${path} was locked by another process for longer than ${busyTimeoutMs} ms`,
        "Try again, end that process, or raise busyTimeoutMs",
      );
    case 1: // ERROR: our SQL is right, so it is the schema that is not ours any more
      return message.startsWith("no such module") ? withoutSearch(path) : damaged(path, message);
    case 11: // CORRUPT
    case 19: // CONSTRAINT: only rows that we did not write can be in the way of ours
    case 20: // MISMATCH
      return damaged(path, message);
    case 26: // NOTADB
      return damaged(path, "it is no SQLite database, or its first bytes were overwritten");
    case 8: // READONLY
      return unwritable(path, message);
    case 13: // FULL
      return full(path);
    default:
      return failed(
        `${path} cannot be used: ${message}`,
        "Check the disk, and that the file and its folder can be read and written",
      );
  }
}

function fromSystem(code: string, message: string, { path }: FailurePlace): PalimpsestError {
  switch (code) {
    case "ENOSPC":
    case "EDQUOT":
      return full(path);
    case "EROFS":
    case "EACCES":
    case "EPERM":
      return unwritable(path, message);
    default:
      return failed(
        `${path} cannot be used: ${message}`,
        "Check the disk, choose another path, or make way for this one",
      );
  }
}

// Node 22.13 to 22.15, and builds on a system's own SQLite, may lack FTS5.
function withoutSearch(path: string): PalimpsestError {
  return failed(`${path} cannot be used: the SQLite of this Node has no full-text search`, "Use Node 22.16 or newer");
}

function full(path: string): PalimpsestError {
  return failed(`The disk is full: nothing was written to ${path}`, "Free some space and try again");
}

/** The error for a write that was committed, but may be lost in a power cut. */
export function notOnDisk(error: unknown, { path }: FailurePlace): PalimpsestError {
  const what = error instanceof Error ? error.message : String(error);
  return failed(
    `What was written to ${path} could not be brought to the disk (${what}), and may be there all the same`,
    "Check the disk, and look whether it is there before you write it again",
  );
}

function unwritable(path: string, message: string): PalimpsestError {
  return failed(
    `${path} cannot be written: ${message}`,
    "Allow the user of this process to write to the file and its folder, or choose another path",
  );
}

export function failed(what: string, fix: string): PalimpsestError {
  return new PalimpsestError("store-failed", `${what}. ${fix}.`);
}

/** SQLite's primary result code; its extended codes carry more in the higher bits. */
function resultCode(error: unknown): number | undefined {
  const isSqlite = error instanceof Error && "errcode" in error && typeof error.errcode === "number";
  return isSqlite ? Number(error.errcode) & 0xff : undefined;
}
