import type { ActivityFeed } from "../activity.ts";

/** Tells that something of ours failed, and that the request went on without it. */
export type ReportIncident = (what: string, error: unknown) => void;

/** In place of an error: it took longer than it may. */
export const LATE = Symbol("late");

export function createIncidentReport(feed: ActivityFeed, now: () => number): ReportIncident {
  return (what, error) => feed.publish({ type: "incident", at: now(), what, error: nameOf(error) });
}

// Messages of errors may quote what was being read.
function nameOf(error: unknown): string {
  if (error === LATE) return "took too long";
  if (!(error instanceof Error)) return typeof error;
  const code = "code" in error && typeof error.code === "string" ? ` (${error.code})` : "";
  return `${error.name}${code}`;
}
