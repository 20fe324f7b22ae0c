import type { CellState } from "../api/strata-types.ts";
import { shortNumber } from "../model/format.ts";
import { oneLine } from "../model/safe-text.ts";
import { foldLabel } from "../model/strata-captions.ts";
import { type Cell, firstRunFrom, kindName, type ShownRow, speakerOf } from "../model/strata-cells.ts";
import {
  type Geometry,
  namedEvery,
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

const FAMILY = "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif";
const FONT = `13px ${FAMILY}`;
const SMALL_FONT = `11px ${FAMILY}`;

/** The lines of the header, by their middles, and the bars below them. */
const HEADER = { causes: 10, numbers: 27, barsTop: 38 };

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

/** Where the rows end: lines go no further. */
function bottomOf(scene: Scene): number {
  return Math.min(scene.viewport.height, yOf(scene.source.totals().rows, scene));
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
      if (loaded !== undefined && loaded !== drawn) drawRuns(context, scene, { row: loaded, at: row, range });
      drawn = loaded;
      column = Math.min(range.endColumn, (Math.floor(column / 1_000) + 1) * 1_000);
    }
  }
}

interface DrawnRow {
  readonly row: ShownRow;
  /** Which row of the picture it is. */
  readonly at: number;
  readonly range: VisibleRange;
}

/** Top and height on whole pixels: what lies between two of them is blurred. */
function linesOf(at: number, scene: Scene): { readonly y: number; readonly height: number } {
  const y = Math.round(yOf(at, scene));
  return { y, height: Math.round(yOf(at + 1, scene)) - y };
}

function drawRuns(context: Context, scene: Scene, { row, at, range }: DrawnRow): void {
  const { geometry, palette } = scene;
  const { y, height } = linesOf(at, scene);
  const gap = geometry.rowHeight > READABLE ? 3 : geometry.rowHeight > 5 ? 1 : 0;
  for (let index = firstRunFrom(row, range.firstColumn); index < row.runs.length; index++) {
    const run = row.runs[index];
    if (run === undefined || run[0] >= range.endColumn) return;
    const [first, last, state] = run;
    const left = Math.round(xOf(Math.max(first, range.firstColumn), scene));
    const right = Math.round(xOf(Math.min(last + 1, range.endColumn), scene));
    if (state === "hidden") {
      context.fillStyle = palette.scraped;
      context.fillRect(left, y, right - left, height);
    }
    const box = boxOf(state, { y: y + Math.floor(gap / 2), height: height - gap });
    context.fillStyle = palette.states[state];
    context.fillRect(left, box.y, right - left, box.height);
  }
}

/** Hidden ones are thin: states differ by shape, not by colour alone. */
function boxOf(state: CellState, { y, height }: { readonly y: number; readonly height: number }) {
  if (state === "hidden") {
    const line = Math.max(1, Math.round(height / 5));
    return { y: y + Math.floor((height - line) / 2), height: line };
  }
  return state === "stand-in" && height > READABLE / 2
    ? { y: y + height / 5, height: (height * 3) / 5 }
    : { y, height };
}

function drawFolds(context: Context, scene: Scene, range: VisibleRange): void {
  const { source, palette } = scene;
  const bottom = bottomOf(scene);
  context.fillStyle = palette.accent;
  for (let column = range.firstColumn; column < range.endColumn; column++) {
    if (source.foldsAt(column).length === 0) continue;
    context.fillRect(Math.round(xOf(column, scene)) - 1, 0, 1.5, bottom);
  }
}

/** What is right of it has not been sent yet. */
function drawNow(context: Context, scene: Scene): void {
  const { source, palette, geometry } = scene;
  const x = Math.round(xOf(source.requests(), scene)) + 0.5;
  context.strokeStyle = palette.muted;
  context.setLineDash([2, 3]);
  context.beginPath();
  context.moveTo(x, geometry.headerHeight);
  context.lineTo(x, bottomOf(scene));
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
  const isReadable = geometry.rowHeight > READABLE;
  const strip = isReadable ? { x: 4, width: 4 } : stripOf(geometry);
  const every = namedEvery(geometry.rowHeight, 26);
  if (!isReadable) context.font = SMALL_FONT;
  context.fillStyle = palette.surface;
  context.fillRect(0, 0, geometry.labelWidth, viewport.height);
  for (let row = range.firstRow; row < range.endRow; row++) {
    const shown = source.row(row, range.firstColumn);
    if (shown === undefined) continue;
    const { y, height } = linesOf(row, scene);
    if (hovered?.row === row) {
      context.fillStyle = palette.hover;
      context.fillRect(0, y, geometry.labelWidth, height);
    }
    const gap = height > 5 ? 1 : 0;
    context.fillStyle = palette.speakers[speakerOf(shown)] ?? palette.muted;
    context.fillRect(strip.x, y + gap, strip.width, height - 2 * gap);
    if (isReadable) drawLabel(context, scene, { row: shown, at: row });
    else if (shown.block === undefined && (shown.index + 1) % every === 0)
      drawRowNumber(context, scene, { row: shown, at: row });
  }
  context.fillStyle = palette.line;
  context.fillRect(geometry.labelWidth - 1, 0, 1, viewport.height);
}

/** Where nothing can be read, who speaks is a strip right beside the cells. */
function stripOf({ labelWidth }: Geometry) {
  const width = labelWidth > 60 ? 12 : 6;
  return { x: labelWidth - width - 4, width };
}

function drawRowNumber(context: Context, scene: Scene, { row, at }: Omit<DrawnRow, "range">): void {
  const { geometry, palette } = scene;
  const number = String(row.index + 1);
  context.fillStyle = palette.muted;
  context.fillText(number, stripOf(geometry).x - 5 - context.measureText(number).width, yOf(at + 0.5, scene));
}

function drawLabel(context: Context, scene: Scene, { row, at }: Omit<DrawnRow, "range">): void {
  const { source, geometry, palette } = scene;
  const y = yOf(at, scene);
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
  const { geometry, viewport, palette } = scene;
  context.fillStyle = palette.surface;
  context.fillRect(0, 0, viewport.width, geometry.headerHeight);
  context.font = SMALL_FONT;
  drawSizes(context, scene, range);
  drawNumbers(context, scene, range);
  drawCauses(context, scene, range);
  drawCorner(context, scene);
  context.fillStyle = palette.line;
  context.fillRect(0, geometry.headerHeight - 1, viewport.width, 1);
}

/** A bar for each request, as high as it is large. */
function drawSizes(context: Context, scene: Scene, range: VisibleRange): void {
  const { source, geometry, palette, hovered } = scene;
  let most = 1;
  for (let column = range.firstColumn; column < range.endColumn; column++) {
    most = Math.max(most, source.column(column)?.promptTokens ?? 0);
  }
  const gap = geometry.columnWidth > 6 ? 1 : 0;
  const room = geometry.headerHeight - HEADER.barsTop - 3;
  for (let column = range.firstColumn; column < range.endColumn; column++) {
    const height = Math.round(((source.column(column)?.promptTokens ?? 0) / most) * room);
    const [left, right] = [Math.round(xOf(column, scene)), Math.round(xOf(column + 1, scene))];
    const hasFold = source.foldsAt(column).length > 0;
    context.fillStyle = hasFold ? palette.accent : hovered?.column === column ? palette.ink : palette.bars;
    context.fillRect(left, geometry.headerHeight - 2 - height, right - left - gap, height);
  }
}

function drawNumbers(context: Context, scene: Scene, range: VisibleRange): void {
  const { source, geometry, palette } = scene;
  const every = namedEvery(geometry.columnWidth, 34);
  const next = source.requests();
  context.fillStyle = palette.muted;
  context.textAlign = "center";
  for (let column = range.firstColumn; column < Math.min(range.endColumn, next); column++) {
    if ((column + 1) % every !== 0) continue;
    const name = String(column + 1);
    const x = xOf(column + 0.5, scene);
    // The next request is named in any case.
    const end = x + context.measureText(name).width / 2;
    if (end < xOf(next, scene) - 6) context.fillText(name, x, HEADER.numbers);
  }
  context.textAlign = "left";
  context.fillText("next", Math.round(xOf(next, scene)) + 2, HEADER.numbers);
}

/** A flag at the line of each fold, with the reason where there is room for it. */
function drawCauses(context: Context, scene: Scene, range: VisibleRange): void {
  const { source, geometry, viewport, palette } = scene;
  context.fillStyle = palette.accent;
  let free = viewport.width;
  for (let column = range.endColumn - 1; column >= range.firstColumn; column--) {
    const folds = source.foldsAt(column);
    if (folds.length === 0) continue;
    const x = Math.round(xOf(column, scene)) - 1;
    // The numbers of requests stand between the flag and the bars.
    context.fillRect(x, 2, 1.5, HEADER.causes + 6);
    context.fillRect(x, HEADER.barsTop - 3, 1.5, geometry.headerHeight);
    context.beginPath();
    context.moveTo(x, 3);
    context.lineTo(x + 8, HEADER.causes - 2);
    context.lineTo(x, HEADER.causes + 1);
    context.fill();
    const label = foldLabel(folds, source.column(column)?.reason ?? "");
    if (x + 12 + context.measureText(label).width < free) context.fillText(label, x + 11, HEADER.causes - 1);
    free = x - 4;
  }
}

/** What the lines of the header and the rows are. */
function drawCorner(context: Context, { geometry, palette }: Scene): void {
  const { labelWidth, headerHeight } = geometry;
  context.fillStyle = palette.surface;
  context.fillRect(0, 0, labelWidth, headerHeight);
  if (labelWidth < 60) return;
  context.fillStyle = palette.muted;
  context.textAlign = "right";
  context.fillText("folds", labelWidth - 8, HEADER.causes);
  context.fillText("requests →", labelWidth - 8, HEADER.numbers);
  context.fillText(labelWidth > 200 ? "size of the prompt" : "size", labelWidth - 8, headerHeight - 20);
  context.textAlign = "left";
  context.fillText(labelWidth > 120 ? "messages ↓" : "", 10, headerHeight - 12);
}
