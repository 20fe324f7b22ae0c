import type { CellState } from "../api/strata-types.ts";
import { shortNumber } from "../model/format.ts";
import { oneLine } from "../model/safe-text.ts";
import { type Cell, firstRunFrom, kindName, type ShownRow, speakerOf } from "../model/strata-cells.ts";
import {
  type Geometry,
  READABLE,
  TOGGLE,
  type Viewport,
  type VisibleRange,
  visibleRange,
} from "../model/strata-viewport.ts";
import type { Palette } from "./palette.ts";
import type { StrataSource } from "./strata-source.ts";

export interface Scene {
  readonly source: StrataSource;
  readonly geometry: Geometry;
  readonly viewport: Viewport;
  readonly palette: Palette;
  readonly focused: Cell | undefined;
  readonly hovered: Cell | undefined;
}

type Context = CanvasRenderingContext2D;

const FONT = "13px system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif";

/** Draws what shows of the matrix. Costs as much as the screen has runs, whatever the size of the session. */
export function drawStrata(context: Context, scene: Scene): VisibleRange {
  const { source, geometry, viewport, palette } = scene;
  const range = visibleRange(viewport, geometry, source.totals());
  context.fillStyle = palette.surface;
  context.fillRect(0, 0, viewport.width, viewport.height);
  context.font = FONT;
  context.textBaseline = "middle";
  drawRows(context, scene, range);
  drawFolds(context, scene, range);
  drawNow(context, scene);
  drawFocus(context, scene);
  drawLabels(context, scene, range);
  drawHeader(context, scene, range);
  return range;
}

function xOf(column: number, { geometry, viewport }: Scene): number {
  return geometry.labelWidth + column * geometry.columnWidth - viewport.left;
}

function yOf(row: number, { geometry, viewport }: Scene): number {
  return geometry.headerHeight + row * geometry.rowHeight - viewport.top;
}

function drawRows(context: Context, scene: Scene, range: VisibleRange): void {
  const { source, hovered, geometry, palette, viewport } = scene;
  for (let row = range.firstRow; row < range.endRow; row++) {
    if (hovered?.row === row) {
      context.fillStyle = palette.hover;
      context.fillRect(0, yOf(row, scene), viewport.width, geometry.rowHeight);
    }
    // A row of each tile of columns that shows: the runs of a row end where its tile does.
    let drawn: ShownRow | undefined;
    for (let column = range.firstColumn; column < range.endColumn; ) {
      const loaded = source.row(row, column);
      if (loaded !== undefined && loaded !== drawn)
        drawRuns(context, scene, { row: loaded, y: yOf(row, scene), range });
      drawn = loaded;
      column = Math.min(range.endColumn, (Math.floor(column / 1_000) + 1) * 1_000);
    }
  }
}

interface DrawnRow {
  readonly row: ShownRow;
  readonly y: number;
  readonly range: VisibleRange;
}

function drawRuns(context: Context, scene: Scene, { row, y, range }: DrawnRow): void {
  const { geometry, palette } = scene;
  const gap = geometry.rowHeight > READABLE ? 3 : geometry.rowHeight > 3 ? 1 : 0;
  for (let index = firstRunFrom(row, range.firstColumn); index < row.runs.length; index++) {
    const run = row.runs[index];
    if (run === undefined || run[0] >= range.endColumn) return;
    const [first, last, state] = run;
    const left = xOf(Math.max(first, range.firstColumn), scene);
    const right = xOf(Math.min(last + 1, range.endColumn), scene);
    const box = boxOf(state, { y: y + gap / 2, height: geometry.rowHeight - gap });
    context.fillStyle = palette.states[state];
    context.fillRect(left, box.y, right - left, box.height);
  }
}

/** Hidden ones are thin: states differ by shape, not by colour alone. */
function boxOf(state: CellState, { y, height }: { readonly y: number; readonly height: number }) {
  if (state === "hidden") return { y: y + height / 2 - Math.max(1, height / 8), height: Math.max(1, height / 4) };
  return state === "stand-in" && height > READABLE / 2
    ? { y: y + height / 5, height: (height * 3) / 5 }
    : { y, height };
}

function drawFolds(context: Context, scene: Scene, range: VisibleRange): void {
  const { source, palette, viewport } = scene;
  context.fillStyle = palette.accent;
  for (let column = range.firstColumn; column < range.endColumn; column++) {
    if (source.foldsAt(column).length === 0) continue;
    context.fillRect(Math.round(xOf(column, scene)) - 1, 0, 1.5, viewport.height);
  }
}

/** What is right of it has not been sent yet. */
function drawNow(context: Context, scene: Scene): void {
  const { source, palette, viewport } = scene;
  const x = Math.round(xOf(source.requests(), scene));
  context.strokeStyle = palette.muted;
  context.setLineDash([2, 3]);
  context.beginPath();
  context.moveTo(x, 0);
  context.lineTo(x, viewport.height);
  context.stroke();
  context.setLineDash([]);
}

function drawFocus(context: Context, scene: Scene): void {
  const { focused, geometry, palette } = scene;
  if (focused === undefined) return;
  context.strokeStyle = palette.accent;
  context.lineWidth = 2;
  const [x, y] = [xOf(focused.column, scene), yOf(focused.row, scene)];
  context.strokeRect(x + 1, y + 1, Math.max(4, geometry.columnWidth - 2), Math.max(4, geometry.rowHeight - 2));
  context.lineWidth = 1;
}

function drawLabels(context: Context, scene: Scene, range: VisibleRange): void {
  const { source, geometry, viewport, palette, hovered } = scene;
  context.fillStyle = palette.surface;
  context.fillRect(0, 0, geometry.labelWidth, viewport.height);
  for (let row = range.firstRow; row < range.endRow; row++) {
    const shown = source.row(row, range.firstColumn);
    if (shown === undefined) continue;
    const y = yOf(row, scene);
    if (hovered?.row === row) {
      context.fillStyle = palette.hover;
      context.fillRect(0, y, geometry.labelWidth, geometry.rowHeight);
    }
    context.fillStyle = palette.speakers[speakerOf(shown)] ?? palette.muted;
    context.fillRect(4, y + 1, geometry.rowHeight > READABLE ? 4 : geometry.labelWidth - 12, geometry.rowHeight - 2);
    if (geometry.rowHeight > READABLE) drawLabel(context, scene, { row: shown, y });
  }
  context.fillStyle = palette.line;
  context.fillRect(geometry.labelWidth - 1, 0, 1, viewport.height);
}

function drawLabel(context: Context, scene: Scene, { row, y }: Omit<DrawnRow, "range">): void {
  const { source, geometry, palette } = scene;
  const middle = y + geometry.rowHeight / 2;
  const tokens = shortNumber(row.tokens);
  const tokensWidth = context.measureText(tokens).width;
  const right = geometry.labelWidth - 10;
  context.fillStyle = palette.muted;
  context.fillText(tokens, right - tokensWidth, middle);
  const marks = `${row.important === true ? "◆ " : ""}${row.isRewound === true ? "↶ " : ""}`;
  context.fillStyle = row.isRewound === true ? palette.muted : palette.ink;
  // Blocks stand below their message, a little to the right.
  const left = row.block === undefined ? TOGGLE.end : TOGGLE.end + 14;
  if (row.block === undefined && row.blockCount !== undefined) {
    context.fillText(source.isExpanded(row.index) ? "▾" : "▸", TOGGLE.start + 2, middle);
  }
  context.save();
  context.beginPath();
  context.rect(left, y, right - tokensWidth - left - 10, geometry.rowHeight);
  context.clip();
  context.fillText(`${marks}${oneLine(row.label || kindName(row), 80)}`, left, middle);
  context.restore();
}

function drawHeader(context: Context, scene: Scene, range: VisibleRange): void {
  const { source, geometry, viewport, palette, hovered } = scene;
  context.fillStyle = palette.surface;
  context.fillRect(0, 0, viewport.width, geometry.headerHeight);
  let most = 1;
  for (let column = range.firstColumn; column < range.endColumn; column++) {
    most = Math.max(most, source.column(column)?.promptTokens ?? 0);
  }
  const every = Math.max(1, Math.ceil(48 / geometry.columnWidth / 5) * 5);
  for (let column = range.firstColumn; column < range.endColumn; column++) {
    const shown = source.column(column);
    const x = xOf(column, scene);
    const height = ((shown?.promptTokens ?? 0) / most) * (geometry.headerHeight - 22);
    const hasFold = source.foldsAt(column).length > 0;
    context.fillStyle = hasFold ? palette.accent : hovered?.column === column ? palette.ink : palette.bars;
    const gap = geometry.columnWidth > 6 ? 2 : 0;
    context.fillRect(x + gap / 2, geometry.headerHeight - 3 - height, geometry.columnWidth - gap, height);
    if (shown === undefined || (column + 1) % every !== 0) continue;
    context.fillStyle = palette.muted;
    context.fillText(String(column + 1), x, 10);
  }
  context.fillStyle = palette.surface;
  context.fillRect(0, 0, geometry.labelWidth, geometry.headerHeight);
  context.fillStyle = palette.muted;
  const corner = geometry.labelWidth > 120 ? "requests →" : "";
  context.fillText(corner, geometry.labelWidth - 12 - context.measureText(corner).width, 10);
  context.fillText(corner === "" ? "" : "messages ↓", 14, geometry.headerHeight - 12);
  context.fillStyle = palette.line;
  context.fillRect(0, geometry.headerHeight - 1, viewport.width, 1);
}
