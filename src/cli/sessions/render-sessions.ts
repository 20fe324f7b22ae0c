import { cutToWidth } from "../terminal/display-width.ts";
import { formatCount } from "../terminal/numbers.ts";
import type { Style } from "../terminal/output.ts";
import { relativeTime } from "../terminal/relative-time.ts";
import { oneLine } from "../terminal/safe-text.ts";
import { type Column, renderTable } from "../terminal/table.ts";
import type { SessionLine } from "./read-sessions.ts";

export interface RenderOptions {
  readonly columns: number;
  readonly style: Style;
  /** In milliseconds since the epoch. */
  readonly now: number;
}

const COLUMNS: readonly Column[] = [
  { title: "session", align: "left" },
  { title: "messages", align: "right" },
  { title: "view tokens", align: "right" },
  { title: "folds", align: "right" },
  { title: "pinned", align: "right" },
  { title: "last change", align: "left" },
];

// The beginning of an id is enough to name it.
const MAX_ID_COLUMNS = 52;

/** The table of `palimpsest sessions`. */
export function renderSessions(lines: readonly SessionLine[], { columns, style, now }: RenderOptions): string {
  const rows = lines.map((line) => {
    const [id, changed] = [cutToWidth(oneLine(line.id), MAX_ID_COLUMNS), relativeTime(line.updatedAt, now)];
    if ("error" in line) return [id, "damaged", "–", "–", "–", changed];
    const { messages, viewTokens, folds, pinned } = line;
    return [id, ...[messages, viewTokens, folds, pinned].map(formatCount), changed];
  });
  const [title = "", ...table] = renderTable(COLUMNS, rows, columns);
  const errors = lines.flatMap((line) => ("error" in line ? [style.warning(oneLine(line.error))] : []));
  return `${[style.heading(title), ...table, ...errors].join("\n")}\n`;
}

/** The text in place of an empty table. */
export function noSessions(storeName: string): string {
  return `No sessions in ${storeName} yet. palimpsest sessions import FILE makes one of a transcript.\n`;
}
