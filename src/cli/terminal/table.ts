import { cutToWidth, displayWidth, fitWidth } from "./display-width.ts";
import type { Style } from "./output.ts";

export interface Column {
  readonly title: string;
  readonly align: "left" | "right";
}

const INDENT = "  ";
const GAP = "  ";

/**
 * Rows under their titles, each column as wide as it needs to be; the last one is cut where the line would be longer than
 * `columns`.
 */
export function renderTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  width: number,
): readonly string[] {
  const cells = [columns.map(({ title }) => title), ...rows];
  const widths = columns.map((_, place) =>
    cells.reduce((widest, row) => Math.max(widest, displayWidth(row[place] ?? "")), 0),
  );
  return cells.map((row) => {
    const parts = columns.map(({ align }, place) => fitWidth(row[place] ?? "", widths[place] ?? 0, align));
    return cutToWidth(`${INDENT}${parts.join(GAP)}`.trimEnd(), width);
  });
}

/** Columns of numbers, to the right; those from `firstLeft` on, to the left. @default firstLeft the last one */
export function numbersBefore(titles: readonly string[], firstLeft = titles.length - 1): readonly Column[] {
  return titles.map((title, place) => ({ title, align: place < firstLeft ? ("right" as const) : ("left" as const) }));
}

/** Lines of one part of the report; none where there is nothing to say. */
export type Section = readonly string[];

export interface RenderOptions {
  readonly columns: number;
  readonly style: Style;
}
