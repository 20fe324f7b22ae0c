import type { Cell } from "./strata-cells.ts";

/** Sizes in CSS pixels. */
export interface Geometry {
  readonly rowHeight: number;
  readonly columnWidth: number;
  /** Of the column with the names of messages, on the left. */
  readonly labelWidth: number;
  /** Of the row with the numbers of requests, on top. */
  readonly headerHeight: number;
}

export interface Viewport {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export interface Totals {
  readonly rows: number;
  readonly columns: number;
}

/** From the first to the last that shows, the last excluded. */
export interface VisibleRange {
  readonly firstRow: number;
  readonly endRow: number;
  readonly firstColumn: number;
  readonly endColumn: number;
}

export type Density = "read" | "overview";

/** A line for why something was folded, one for the numbers of requests, and the bars of their sizes. */
const HEADER_HEIGHT = 68;

/** The least that the last column has, for the word over it. */
const NEXT_WIDTH = 28;

/** Rows to read have a fixed size; an overview shows as much of the session as can be told apart. */
export function geometryOf(density: Density, size: { width: number; height: number }, totals: Totals): Geometry {
  const isNarrow = size.width < 600;
  const headerHeight = HEADER_HEIGHT;
  const fitting = (room: number, count: number) => Math.floor((room / Math.max(1, count)) * 2) / 2;
  if (density === "read") {
    const labelWidth = isNarrow ? 150 : 340;
    const columnWidth = Math.min(
      40,
      Math.max(isNarrow ? 14 : 16, fitting(size.width - labelWidth - NEXT_WIDTH, totals.columns)),
    );
    return { rowHeight: 22, columnWidth, labelWidth, headerHeight };
  }
  const labelWidth = isNarrow ? 42 : 86;
  return {
    rowHeight: Math.min(11, Math.max(3, fitting(size.height - headerHeight, totals.rows))),
    columnWidth: Math.min(24, Math.max(3, fitting(size.width - labelWidth - NEXT_WIDTH, totals.columns))),
    labelWidth,
    headerHeight,
  };
}

/** The most rows for which reading is the better start. */
const READ_AT_ONCE = 60;

export function densityFor({ rows }: Totals): Density {
  return rows > READ_AT_ONCE ? "overview" : "read";
}

export function contentSize({ rows, columns }: Totals, geometry: Geometry) {
  return {
    width: geometry.labelWidth + (columns - 1) * geometry.columnWidth + Math.max(NEXT_WIDTH, geometry.columnWidth),
    height: geometry.headerHeight + rows * geometry.rowHeight,
  };
}

export function visibleRange(viewport: Viewport, geometry: Geometry, { rows, columns }: Totals): VisibleRange {
  const { rowHeight, columnWidth, labelWidth, headerHeight } = geometry;
  const within = (value: number, most: number) => Math.min(most, Math.max(0, value));
  return {
    firstRow: within(Math.floor(viewport.top / rowHeight), rows),
    endRow: within(Math.ceil((viewport.top + viewport.height - headerHeight) / rowHeight), rows),
    firstColumn: within(Math.floor(viewport.left / columnWidth), columns),
    endColumn: within(Math.ceil((viewport.left + viewport.width - labelWidth) / columnWidth), columns),
  };
}

/** What lies under a point of the canvas; row or column is -1 over the header or the labels. Undefined outside of both. */
export function cellAt(
  point: { x: number; y: number },
  viewport: Viewport,
  shape: Geometry & Totals,
): Cell | undefined {
  const { x, y } = point;
  const column = x < shape.labelWidth ? -1 : Math.floor((x - shape.labelWidth + viewport.left) / shape.columnWidth);
  const row = y < shape.headerHeight ? -1 : Math.floor((y - shape.headerHeight + viewport.top) / shape.rowHeight);
  return row >= shape.rows || column >= shape.columns ? undefined : { row, column };
}

/** Every how many rows or columns one is named, where each takes so many pixels and a name needs that many: 1, 2, 5, 10 … */
export function namedEvery(size: number, room: number): number {
  let every = 1;
  for (let step = 0; every * size < room; step++) every *= step % 3 === 1 ? 2.5 : 2;
  return every;
}

/** Below this height of a row nothing can be read. */
export const READABLE = 12;

/** Where the mark that shows the blocks of a message stands in its label. */
export const TOGGLE = { start: 10, end: 26 };

/** Whether a point of the canvas is on the mark that shows the blocks of a message. */
export function isOnToggle({ x }: { readonly x: number }, { rowHeight }: Geometry): boolean {
  return rowHeight > READABLE && x >= TOGGLE.start - 4 && x < TOGGLE.end;
}

/** Where to scroll so that a cell shows whole; the same place where it does. The last column shows with the word over it. */
export function scrollTo(
  { row, column }: Cell,
  viewport: Viewport,
  shape: Geometry & Totals,
): { left: number; top: number } {
  const { rowHeight, columnWidth, labelWidth, headerHeight } = shape;
  const width = column === shape.columns - 1 ? Math.max(NEXT_WIDTH, columnWidth) : columnWidth;
  return {
    left: nearest(viewport.left, column * columnWidth, width, viewport.width - labelWidth),
    top: nearest(viewport.top, row * rowHeight, rowHeight, viewport.height - headerHeight),
  };
}

function nearest(scrolled: number, start: number, size: number, room: number): number {
  if (start < scrolled) return start;
  return start + size > scrolled + room ? Math.max(0, start + size - room) : scrolled;
}

const PAGE_ROWS = 20;

/** Where a key leads; undefined where it is none of ours. */
export function moveCell({ row, column }: Cell, key: string, { rows, columns }: Totals): Cell | undefined {
  const moves: Readonly<Record<string, Cell>> = {
    ArrowUp: { row: row - 1, column },
    ArrowDown: { row: row + 1, column },
    ArrowLeft: { row, column: column - 1 },
    ArrowRight: { row, column: column + 1 },
    PageUp: { row: row - PAGE_ROWS, column },
    PageDown: { row: row + PAGE_ROWS, column },
    Home: { row, column: 0 },
    End: { row, column: columns - 1 },
  };
  const moved = Object.hasOwn(moves, key) ? moves[key] : undefined;
  if (moved === undefined) return undefined;
  const within = (value: number, count: number) => Math.max(0, Math.min(count - 1, value));
  return { row: within(moved.row, rows), column: within(moved.column, columns) };
}
