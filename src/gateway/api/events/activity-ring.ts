import type { Activity } from "../../activity.ts";

/** An activity as it is sent. */
export interface RingEntry {
  readonly id: number;
  readonly sessionId: string | undefined;
  readonly chunk: Uint8Array;
}

/** The newest activities, numbered. */
export interface ActivityRing {
  add(activity: Activity): RingEntry;
  /** The oldest first. */
  newerThan(id: number): readonly RingEntry[];
}

export interface ActivityRingOptions {
  /** Ids follow from it, so that those of a gateway that was started later are higher. */
  readonly startedAt: number;
  /** How many are remembered. */
  readonly size: number;
}

/** A gateway does not have so many activities in a millisecond: its ids never reach those of a later one. */
const IDS_PER_MS = 1_000;

export function createActivityRing({ startedAt, size }: ActivityRingOptions): ActivityRing {
  const encoder = new TextEncoder();
  let entries: RingEntry[] = [];
  let lastId = Math.trunc(startedAt) * IDS_PER_MS;
  return {
    add: (activity) => {
      lastId += 1;
      const chunk = encoder.encode(`id: ${lastId}\nevent: ${activity.type}\ndata: ${JSON.stringify(activity)}\n\n`);
      const sessionId = activity.type === "incident" ? undefined : activity.sessionId;
      const entry = { id: lastId, sessionId, chunk };
      entries.push(entry);
      if (entries.length >= 2 * size) entries = entries.slice(-size);
      return entry;
    },
    newerThan: (id) => entries.slice(-size).filter((entry) => entry.id > id),
  };
}
