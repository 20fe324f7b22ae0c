import { hashMessages } from "./open-store.ts";
import type { FoundSession } from "./read-session.ts";
import type { WriterLine } from "./writer-lines.ts";

/** What may follow a view that was given out and leave all of it in place. */
const ADDING: ReadonlySet<string> = new Set(["append", "checkpoint", "look"]);

/**
 * Whether the view that a writer was last given is still what the session's view begins with; undefined where it did, or had begun,
 * something since that may change it.
 */
export function isStillView({ id, view }: FoundSession, lines: readonly WriterLine[]): boolean | undefined {
  const at = lines.findLastIndex((line) => line.type === "prepared" && line.session === id);
  const prepared = lines[at];
  if (prepared?.type !== "prepared") return undefined;
  const isKept = lines.slice(at + 1).every((line) => line.type !== "began" || ADDING.has(line.operation));
  return isKept ? hashMessages(view.slice(0, prepared.messages)) === prepared.hash : undefined;
}
