import { readMessage } from "../../core/condense/ledger/read-message.ts";
import type { Message } from "../../core/message/message.ts";

/** Messages that no ledger was written of yet. */
const unread = new Set<Message>();
let isScheduled = false;
const SLICE_MS = 3;

/**
 * Reads a new message for a ledger as soon as there is nothing else to do, which is mostly while the model writes its reply. When the
 * ledger is due, all but the newest have been read. What it writes does not depend on it.
 */
export function readAhead(message: Message): void {
  unread.add(message);
  if (!isScheduled) schedule();
}

function schedule(): void {
  isScheduled = true;
  // Nobody's process stays alive for it.
  setImmediate(readSome).unref();
}

/** A few at a time: whoever has something to do does not wait for all of them. */
function readSome(): void {
  isScheduled = false;
  const startedMs = performance.now();
  for (const message of unread) {
    unread.delete(message);
    readMessage(message);
    if (performance.now() - startedMs > SLICE_MS) break;
  }
  if (unread.size > 0) schedule();
}
