import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { type Cell, cellText, columnText } from "../model/strata-cells.ts";
import {
  cellAt,
  contentSize,
  type Density,
  geometryOf,
  isOnToggle,
  moveCell,
  scrollTo,
  type Viewport,
} from "../model/strata-viewport.ts";
import { DensityChoice } from "./density-choice.tsx";
import { drawStrata } from "./draw-strata.ts";
import { type Palette, readPalette, watchPalette } from "./palette.ts";
import type { StrataSource } from "./strata-source.ts";

interface StrataGridProps {
  readonly source: StrataSource;
  /** Counts up when there is something new to draw. */
  readonly revision: number;
  readonly density: Density;
  readonly focused: Cell;
  readonly onFocus: (cell: Cell) => void;
  readonly onOpen: (cell: Cell) => void;
  readonly onDensity: (density: Density) => void;
}

const EXPANDING_KEYS: Readonly<Record<string, boolean>> = { "+": true, "=": true, "-": false };

/** The matrix of messages and requests: a canvas for the eye, a grid of one cell for the keyboard and for screen readers. */
export function StrataGrid(props: StrataGridProps) {
  const { source, revision, density, focused, onFocus, onOpen, onDensity } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [hovered, setHovered] = useState<Cell>();
  const [box, setBox] = useState({ width: 1_000, height: 600 });
  const totals = source.totals();
  const geometry = geometryOf(density, { width: box.width, height: roomFor() }, totals);
  const size = contentSize(totals, geometry);
  // A scroll bar at the bottom takes some of it.
  const height = size.height + (size.width > box.width ? 18 : 2);

  const draw = useCallback(() => {
    if (scroller.current === null || canvas.current === null) return;
    const viewport = viewportOf(scroller.current);
    setBox((known) => (known.width === viewport.width && known.height === viewport.height ? known : viewport));
    const context = fitCanvas(canvas.current, viewport);
    if (context === null) return;
    const range = drawStrata(context, { source, geometry, viewport, palette: palette(), focused, hovered });
    source.show(range);
  }, [source, geometry.rowHeight, geometry.labelWidth, geometry.columnWidth, focused.row, focused.column, hovered]);

  useFrames(scroller, draw, revision);
  useEffect(() => {
    const element = scroller.current;
    if (element === null || totals.rows === 0) return;
    const to = scrollTo(focused, viewportOf(element), { ...geometry, ...totals });
    element.scrollTop = to.top;
    element.scrollLeft = to.left;
  }, [focused.row, focused.column, density, totals.rows === 0]);

  const pointed = (event: MouseEvent) => {
    const element = scroller.current;
    if (element === null) return undefined;
    const box = element.getBoundingClientRect();
    const point = { x: event.clientX - box.left - element.clientLeft, y: event.clientY - box.top - element.clientTop };
    const cell = cellAt(point, viewportOf(element), { ...geometry, ...totals });
    return cell && { ...cell, isToggle: isOnToggle(point, geometry) };
  };
  const expand = ({ row, column }: Cell, isExpanded: boolean) => {
    const found = source.row(row, totals.columns - 1);
    if (found?.blockCount === undefined) return;
    const moved = { row: source.expand(row, isExpanded), column };
    current.current = moved;
    onFocus(moved);
  };
  // Keys may come faster than the page is drawn: each goes on from where the one before led.
  const current = useRef(focused);
  const given = useRef(focused);
  // Drawn for another reason meanwhile, the page still has the cell from before the last key.
  if (given.current.row !== focused.row || given.current.column !== focused.column) current.current = focused;
  given.current = focused;
  const press = (event: KeyboardEvent) => {
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      onOpen(current.current);
      return;
    }
    const isExpanded = EXPANDING_KEYS[event.key];
    if (isExpanded !== undefined) {
      event.preventDefault();
      expand(current.current, isExpanded);
      return;
    }
    const moved = moveCell(current.current, event.key, totals);
    if (moved === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    current.current = moved;
    onFocus(moved);
  };
  const click = (event: MouseEvent) => {
    const cell = pointed(event);
    if (cell === undefined || cell.row < 0) return;
    const chosen = { row: cell.row, column: cell.column < 0 ? totals.columns - 1 : cell.column };
    const found = source.row(cell.row, chosen.column);
    if (cell.isToggle && found?.block === undefined && found?.blockCount !== undefined) {
      expand({ ...chosen, column: focused.column }, !source.isExpanded(found.index));
      return;
    }
    onFocus(chosen);
    onOpen(chosen);
  };
  const told = useTextOf(source);
  const at = source.row(focused.row, focused.column);
  return (
    <>
      <div class="readout-line">
        <p class="readout muted" aria-hidden="true">
          {hovered === undefined ? told(focused) : told(hovered)}
        </p>
        <DensityChoice value={density} onChange={onDensity} />
      </div>
      <div
        ref={scroller}
        class="strata"
        style={{ height: `${Math.min(roomFor(), Math.max(LEAST_HEIGHT, height))}px` }}
        role="treegrid"
        aria-label="Messages by requests"
        aria-description="Arrow keys move from cell to cell, Enter opens a message, plus and minus show and hide its blocks."
        aria-rowcount={totals.rows}
        aria-colcount={totals.columns}
        aria-activedescendant="strata-cell"
        tabIndex={0}
        onKeyDown={press}
        onClick={click}
        onMouseMove={(event) => setHovered(pointed(event))}
        onMouseLeave={() => setHovered(undefined)}
      >
        <canvas ref={canvas} aria-hidden="true" />
        <div class="spacer" style={{ width: `${size.width}px`, height: `${size.height}px` }} />
        <div
          role="row"
          class="hidden-text"
          aria-rowindex={focused.row + 1}
          aria-level={at?.block === undefined ? 1 : 2}
          aria-expanded={
            at?.blockCount === undefined || at.block !== undefined ? undefined : source.isExpanded(at.index)
          }
        >
          <div role="gridcell" id="strata-cell" aria-colindex={focused.column + 1}>
            {told(focused)}
          </div>
        </div>
      </div>
      <p class="hidden-text" aria-live="polite">
        {told(focused)}
      </p>
    </>
  );
}

const LEAST_HEIGHT = 160;

/** The most that the picture may take of the window: what stands above it should show too. */
function roomFor(): number {
  return Math.min(640, Math.round(innerHeight * 0.66));
}

/** What a cell, or the head of a column, means. */
function useTextOf(source: StrataSource): (cell: Cell) => string {
  return ({ row, column }) => {
    const shown = source.column(column);
    if (row < 0) {
      if (column === source.requests()) return "What the next request would show.";
      return shown === undefined ? "" : columnText(shown, source.foldsAt(column));
    }
    const at = column < 0 ? source.totals().columns - 1 : column;
    const found = source.row(row, at);
    if (found === undefined) return "Loading…";
    return cellText(found, at, { requests: source.requests(), column: shown, folds: source.folds() });
  };
}

let known: Palette | undefined;
function palette(): Palette {
  known ??= readPalette();
  return known;
}

/** Draws at most once a frame: when something scrolled, resized, changed its colours or came in. */
function useFrames(scroller: { current: HTMLDivElement | null }, draw: () => void, revision: number): void {
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    let frame = 0;
    const ask = () => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(draw);
    };
    const recolour = () => {
      known = undefined;
      ask();
    };
    ask();
    const sizes = new ResizeObserver(ask);
    sizes.observe(element);
    element.addEventListener("scroll", ask, { passive: true });
    const end = watchPalette(recolour);
    return () => {
      cancelAnimationFrame(frame);
      sizes.disconnect();
      element.removeEventListener("scroll", ask);
      end();
    };
  }, [draw, revision]);
}

function viewportOf({ scrollLeft, scrollTop, clientWidth, clientHeight }: HTMLElement): Viewport {
  return { left: scrollLeft, top: scrollTop, width: clientWidth, height: clientHeight };
}

function fitCanvas(canvas: HTMLCanvasElement, { width, height }: Viewport): CanvasRenderingContext2D | null {
  const ratio = devicePixelRatio || 1;
  const [pixelWidth, pixelHeight] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== pixelWidth || canvas.height !== pixelHeight) {
    canvas.width = pixelWidth;
    canvas.height = pixelHeight;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  const context = canvas.getContext("2d", { alpha: false });
  context?.setTransform(ratio, 0, 0, ratio, 0, 0);
  return context;
}
