import { hash } from "node:crypto";
import { closeSync, ftruncateSync, openSync, readSync, realpathSync, writeSync } from "node:fs";

/** The last acknowledged version of a session. */
export interface Head {
  readonly key: number;
  readonly id: string;
  readonly version: number;
}

/** A head as it is stored in the file. */
export interface KeptHead {
  readonly key: number;
  readonly version: number;
  /** The hash of the session's id, see {@link idHash}. */
  readonly idHash: string;
  /** Whether the database was found to have lost the session. */
  readonly isLost: boolean;
}

/**
 * A file beside the database with one slot for each session. It is never synced: after a power cut it may be behind, which hides a loss, but
 * it is written after the database is on the disk, so that it is never ahead.
 */
export interface HeadsFile {
  readonly path: string;
  read(): readonly KeptHead[];
  readAt(key: number): KeptHead | undefined;
  write(head: KeptHead): void;
  clear(key: number): void;
  close(): void;
}

const SLOT_BYTES = 32;
const CHECKED_BYTES = 24;
const MAGIC = "Plmpheads1";

/** Opens the heads file of the database at this path. A file that was made for a database with another `identity` is emptied. */
export function openHeadsFile(databasePath: string, identity: string): HeadsFile {
  const path = `${realpathSync(databasePath)}-heads`;
  // Creates the file where there is none, without truncating an existing one.
  closeSync(openSync(path, "a", 0o600));
  const opened = openSync(path, "r+");
  let isClosed = false;
  const header = Buffer.alloc(SLOT_BYTES);
  const expected = Buffer.from(hash("sha256", `${MAGIC} ${identity}`, "hex"), "hex");
  readSync(opened, header, 0, SLOT_BYTES, 0);
  if (!header.equals(expected)) {
    ftruncateSync(opened);
    writeSync(opened, expected, 0, SLOT_BYTES, 0);
  }

  function writeSlot(key: number, slot: Buffer): void {
    // The descriptor of a closed file may belong to another file by now.
    if (!isClosed) writeSync(opened, slot, 0, SLOT_BYTES, key * SLOT_BYTES);
  }

  return {
    path,
    read: () => readAll(opened).flatMap((slot, index) => readSlot(slot, index + 1) ?? []),
    readAt: (key) => {
      const slot = Buffer.alloc(SLOT_BYTES);
      readSync(opened, slot, 0, SLOT_BYTES, key * SLOT_BYTES);
      return readSlot(slot, key);
    },
    write: (head) => writeSlot(head.key, slotOf(head)),
    clear: (key) => writeSlot(key, Buffer.alloc(SLOT_BYTES)),
    close: () => {
      if (!isClosed) closeSync(opened);
      isClosed = true;
    },
  };
}

/** Eight bytes of a hash of the session's id, in hex: enough to distinguish the sessions of one file. */
export function idHash(id: string): string {
  return hash("sha256", id, "hex").slice(0, 16);
}

function readAll(file: number): readonly Buffer[] {
  const slots: Buffer[] = [];
  for (let offset = SLOT_BYTES; ; ) {
    const part = Buffer.alloc(2_048 * SLOT_BYTES);
    const bytes = readSync(file, part, 0, part.length, offset);
    for (let at = 0; at + SLOT_BYTES <= bytes; at += SLOT_BYTES) slots.push(part.subarray(at, at + SLOT_BYTES));
    if (bytes < part.length) return slots;
    offset += bytes;
  }
}

function slotOf({ key, version, idHash, isLost }: KeptHead): Buffer {
  const slot = Buffer.alloc(SLOT_BYTES);
  slot.writeBigUInt64LE(BigInt(version), 0);
  slot.write(idHash, 8, "hex");
  slot.writeUInt8(isLost ? 1 : 0, 16);
  checkOf(key, slot).copy(slot, CHECKED_BYTES);
  return slot;
}

/** The head in a slot; undefined where the slot is empty or was only partly written. */
function readSlot(slot: Buffer, key: number): KeptHead | undefined {
  const version = Number(slot.readBigUInt64LE(0));
  if (version === 0 || !checkOf(key, slot).equals(slot.subarray(CHECKED_BYTES))) return undefined;
  return { key, version, idHash: slot.toString("hex", 8, 16), isLost: slot.readUInt8(16) === 1 };
}

function checkOf(key: number, slot: Buffer): Buffer {
  const text = `${key} ${slot.toString("hex", 0, CHECKED_BYTES)}`;
  return Buffer.from(hash("sha256", text, "hex").slice(0, 2 * (SLOT_BYTES - CHECKED_BYTES)), "hex");
}
