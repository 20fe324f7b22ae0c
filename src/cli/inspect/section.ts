import type { Style } from "../terminal/style.ts";
import type { Column } from "../terminal/table.ts";

/** Lines of one part of the report; none where there is nothing to say. */
export type Section = readonly string[];

export interface RenderOptions {
  readonly columns: number;
  readonly style: Style;
}

/** Columns of numbers, to the right; those from `firstLeft` on, to the left. @default firstLeft the last one */
export function numbersBefore(titles: readonly string[], firstLeft = titles.length - 1): readonly Column[] {
  return titles.map((title, place) => ({ title, align: place < firstLeft ? ("right" as const) : ("left" as const) }));
}
