import type { ActivityFeed } from "../activity.ts";
import { nameOfError } from "../name-of-error.ts";

/** Reports that a step of the gateway failed, and that the request went on without it. */
export type ReportIncident = (what: string, error: unknown) => void;

/** Reported in place of an error if a step took too long. */
export const LATE = Symbol("late");

export function createIncidentReport(feed: ActivityFeed, now: () => number): ReportIncident {
  return (what, error) => {
    const name = error === LATE ? "took too long" : nameOfError(error);
    feed.publish({ type: "incident", at: now(), what, error: name });
  };
}
