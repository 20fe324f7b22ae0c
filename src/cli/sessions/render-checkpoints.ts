import type { SessionCheckpoint } from "../../engine/session/checkpoints.ts";
import { formatCount } from "../terminal/numbers.ts";
import { relativeTime } from "../terminal/relative-time.ts";
import { oneLine } from "../terminal/safe-text.ts";
import { type Column, renderTable } from "../terminal/table.ts";
import type { RenderOptions } from "./render-sessions.ts";

const COLUMNS: readonly Column[] = [
  { title: "version", align: "right" },
  { title: "messages", align: "right" },
  { title: "files", align: "left" },
  { title: "when", align: "left" },
  { title: "why", align: "left" },
  { title: "checkpoint", align: "left" },
];

/** The checkpoints of a session, newest first; no lines where there are none. */
export function renderCheckpoints(
  checkpoints: readonly SessionCheckpoint[],
  { columns, style, now }: RenderOptions,
): readonly string[] {
  if (checkpoints.length === 0) return [];
  const rows = checkpoints.map(({ id, at, version, messages, reason, filesId }) => [
    String(version),
    formatCount(messages),
    filesId === undefined ? "no" : "yes",
    relativeTime(at, now),
    reason,
    oneLine(id),
  ]);
  const [titles = "", ...lines] = renderTable(COLUMNS, rows, columns);
  return [style.heading("Checkpoints"), style.faint(titles), ...lines];
}
