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
  /** Something of ours failed. */
  readonly incident: (what: string, error: unknown) => void;
  /** Closes the session: it is no longer what the store has. */
  readonly drop: (sessionId: string) => void;
  /** Requests that hold messages with these keys may belong to the session. */
  readonly index: (sessionId: string, keys: readonly string[]) => void;
}

/** Counts what happens to the store, and has requests find the sessions that it left behind. */
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

/** Incidents are told by the name of their error alone. */
class StoreLate extends Error {
  override readonly name = "StoreLate";
}

/** What was done is not all where it belongs. */
export class RecordsUnsaved extends Error {
  override readonly name = "RecordsUnsaved";
}
