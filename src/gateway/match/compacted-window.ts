import { someItem } from "../../adapters/splice/read-once.ts";
import { showsCompaction } from "../../core/message/compaction.ts";
import type { Message } from "../../core/message/message.ts";
import { isDistinctive } from "./fingerprints.ts";
import type { FingerprintedMessages } from "./log-facts.ts";

/** Whether any message holds a provider's compaction. Of a request that continues an earlier one, only the new messages are read. */
export const holdsCompaction = someItem(showsCompaction);

/**
 * Finds the provider's compaction that a request begins with; only messages of the user may stand before it. Undefined where there is none, or
 * the request still holds the messages that the compaction replaced.
 */
export function compactionPlace(messages: readonly Message[]): number | undefined {
  const place = messages.findLastIndex(showsCompaction);
  const isWindow = place >= 0 && messages.slice(0, place).every(({ role }) => role === "user");
  return isWindow ? place : undefined;
}

/** How many messages a log has before the compacted window that a request begins with; undefined where the log does not have that window. */
export function windowOffset(
  log: FingerprintedMessages,
  sent: FingerprintedMessages,
  place: number,
): number | undefined {
  const found = log.fingerprints.lastIndexOf(sent.fingerprints[place] ?? "");
  const offset = found - place;
  if (found < 0 || offset < 0) return undefined;
  const isSame = sent.fingerprints.slice(0, place).every((each, index) => each === log.fingerprints[offset + index]);
  return isSame ? offset : undefined;
}

export interface OwnedCompaction {
  /** The index of the compaction in the request. */
  readonly place: number;
  /** Whether a reply to this session brought the compaction, or the agent itself says that the request and the log are of one session. */
  readonly isOwned: boolean;
}

/**
 * The index in a log up to which a compaction that is new to the log replaces its messages. Messages behind the compaction in the request may be in
 * the log already, as an agent may go on while the provider compacts. Undefined where nothing shows that the compaction is one of this log.
 */
export function compactedUpTo(
  log: FingerprintedMessages,
  sent: FingerprintedMessages,
  { place, isOwned }: OwnedCompaction,
): number | undefined {
  const rest = sent.fingerprints.slice(place + 1);
  const most = Math.min(rest.length, log.fingerprints.length);
  for (let shared = most; shared > 0; shared--) {
    const start = log.fingerprints.length - shared;
    if (!rest.slice(0, shared).every((each, index) => each === log.fingerprints[start + index])) continue;
    return isOwned || log.messages.slice(start).some(isDistinctive) ? start : undefined;
  }
  return isOwned ? log.fingerprints.length : undefined;
}
