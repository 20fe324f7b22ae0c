import { cutToWidth, displayWidth, fitWidth } from "./display-width.ts";
import type { Style } from "./output.ts";

export interface Column {
  readonly title: string;
  readonly align: "left" | "right";
}

const INDENT = "  ";
const GAP = "  ";

/** Renders rows under their titles. Each column is as wide as its widest cell, and lines are cut at `width`. */
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

/** Columns of numbers, aligned right; from the column `firstLeft` on, aligned left. @default firstLeft the last column */
export function numbersBefore(titles: readonly string[], firstLeft = titles.length - 1): readonly Column[] {
  return titles.map((title, place) => ({ title, align: place < firstLeft ? ("right" as const) : ("left" as const) }));
}

/** The lines of one part of a report; empty if the part is left out. */
export type Section = readonly string[];

export interface RenderOptions {
  readonly columns: number;
  readonly style: Style;
}
