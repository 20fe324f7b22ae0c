import { readMessage } from "../../core/condense/ledger/read-message.ts";
import type { Message } from "../../core/message/message.ts";

/** Messages that no ledger was written of yet. */
const unread = new Set<Message>();
let isScheduled = false;
const SLICE_MS = 3;

/** Most sessions end before they fill this share of their window, and never need a ledger. */
const NEAR_SHARE = 0.25;

/**
 * Reads new messages of a session for a ledger as soon as there is nothing else to do, which is mostly while the model writes its reply.
 * When the ledger is due, all but the newest have been read. What it writes does not depend on it.
 */
export function createReadAhead(contextWindow: () => number): (message: Message, viewTokens: number) => void {
  let later: Message[] = [];
  return (message, viewTokens) => {
    later.push(message);
    if (viewTokens < NEAR_SHARE * contextWindow()) return;
    for (const each of later) unread.add(each);
    later = [];
    if (!isScheduled) schedule();
  };
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
