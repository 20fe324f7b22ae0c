import type { Activity } from "../../activity.ts";

/** An activity with the id and the bytes that event streams send. */
export interface RingEntry {
  readonly id: number;
  readonly sessionId: string | undefined;
  /** Returns the bytes of the event, made at the first call: most activities occur while no stream is open. */
  chunk(): Uint8Array;
}

/** Keeps the newest activities, with ascending ids. */
export interface ActivityRing {
  add(activity: Activity): RingEntry;
  /** Returns the kept activities with higher ids, the oldest first. */
  newerThan(id: number): readonly RingEntry[];
}

export interface ActivityRingOptions {
  /** The time from which ids count up, so that a gateway that is started later has higher ids. */
  readonly startedAt: number;
  /** How many activities are kept. */
  readonly size: number;
}

/** More activities than a gateway ever has per millisecond, so that its ids never reach those of a gateway that is started later. */
const IDS_PER_MS = 1_000;

export function createActivityRing({ startedAt, size }: ActivityRingOptions): ActivityRing {
  let entries: RingEntry[] = [];
  let lastId = Math.trunc(startedAt) * IDS_PER_MS;
  return {
    add: (activity) => {
      lastId += 1;
      const entry = entryOf(lastId, activity);
      entries.push(entry);
      if (entries.length >= 2 * size) entries = entries.slice(-size);
      return entry;
    },
    newerThan: (id) => entries.slice(-size).filter((entry) => entry.id > id),
  };
}

const encoder = new TextEncoder();

function entryOf(id: number, activity: Activity): RingEntry {
  let chunk: Uint8Array | undefined;
  return {
    id,
    sessionId: activity.type === "incident" ? undefined : activity.sessionId,
    chunk: () => {
      chunk ??= encoder.encode(`id: ${id}\nevent: ${activity.type}\ndata: ${JSON.stringify(activity)}\n\n`);
      return chunk;
    },
  };
}
