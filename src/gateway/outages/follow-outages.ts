import { messageKeys } from "../../core/message/message-keys.ts";
import type { NewRecord } from "../../core/ports/store.ts";
import type { LineLevel } from "../../engine/configuration/configuration.ts";
import { parseRecord } from "../../engine/session/journal/log-record.ts";
import type { ActivityFeed } from "../activity.ts";
import type { OutageEvent } from "./buffered-store.ts";

export interface FollowOutagesOptions {
  readonly feed: ActivityFeed;
  readonly now: () => number;
  readonly log: (line: string, level: LineLevel) => void;
  /** Counts a failure of the gateway. */
  readonly incident: (what: string, error: unknown) => void;
  /** Closes the session, which is no longer the same as the one in the store. */
  readonly drop: (sessionId: string) => void;
  /** Has requests that hold messages with these keys find the session. */
  readonly index: (sessionId: string, keys: readonly string[]) => void;
}

/** Returns a listener that reports outages of the store, and makes the sessions that were set apart after one findable by requests. */
export function followOutages(options: FollowOutagesOptions): (event: OutageEvent) => void {
  const { feed, now, log, incident, drop, index } = options;
  return (event) => {
    switch (event.type) {
      case "unavailable":
        return incident("store", event.error ?? new StoreLate());
      case "available":
        return log("store: it answers again", "info");
      case "written-back":
        break;
    }
    const { sessionId, outcome } = event;
    if (outcome.type === "written") return;
    drop(sessionId);
    if (outcome.type !== "set-apart") return incident(`store: ${outcome.type}`, new RecordsUnsaved());
    index(outcome.newId, outcome.records.flatMap(keysIn));
    incident("store: set apart", new RecordsUnsaved());
    feed.publish({ type: "session", at: now(), sessionId: outcome.newId, change: "created" });
  };
}

function keysIn({ body }: NewRecord): readonly string[] {
  const record = parseRecord(body);
  return record?.type === "message" ? messageKeys(record.message) : [];
}

/** The name of this error is what an incident shows for a call that took too long. */
class StoreLate extends Error {
  override readonly name = "StoreLate";
}

/** Records of a session are lost, or are not in the session that they belong to. */
export class RecordsUnsaved extends Error {
  override readonly name = "RecordsUnsaved";
}
