import fc from "fast-check";
import { expect, test } from "vitest";
import { PROPERTY_RUNS } from "../../../test/support/property-runs.ts";
import { tileKey, tilesOf } from "./strata-tiles.ts";
import {
  cellAt,
  contentSize,
  densityFor,
  geometryOf,
  moveCell,
  namedEvery,
  scrollTo,
  visibleRange,
} from "./strata-viewport.ts";

const TOTALS = { rows: 100_000, columns: 5_000 };
const VIEWPORT = { left: 0, top: 0, width: 1_200, height: 640 };
const READ = geometryOf("read", VIEWPORT, TOTALS);

const anyViewport = fc.record({
  left: fc.nat(100_000),
  top: fc.nat(2_300_000),
  width: fc.integer({ min: 300, max: 2_000 }),
  height: fc.integer({ min: 200, max: 1_500 }),
});
const anyCell = fc.record({ row: fc.nat(TOTALS.rows - 1), column: fc.nat(TOTALS.columns - 1) });
const anyDensity = fc.constantFrom("read" as const, "overview" as const);

test("shows as many cells as fit, whatever the size of the session", () => {
  fc.assert(
    fc.property(anyViewport, anyDensity, (viewport, density) => {
      const range = visibleRange(viewport, geometryOf(density, viewport, TOTALS), TOTALS);
      expect(range.endRow - range.firstRow).toBeLessThan(600);
      expect(range.endColumn - range.firstColumn).toBeLessThan(700);
      expect(tilesOf(range).length).toBeLessThanOrEqual(12);
    }),
    PROPERTY_RUNS,
  );
});

test("after scrolling to a cell it shows whole, and a point in it finds it", () => {
  fc.assert(
    fc.property(anyViewport, anyCell, anyDensity, (viewport, cell, density) => {
      const geometry = geometryOf(density, viewport, TOTALS);
      const scrolled = { ...viewport, ...scrollTo(cell, viewport, { ...geometry, ...TOTALS }) };
      const { firstRow, endRow, firstColumn, endColumn } = visibleRange(scrolled, geometry, TOTALS);
      expect([
        firstRow <= cell.row && cell.row < endRow,
        firstColumn <= cell.column && cell.column < endColumn,
      ]).toEqual([true, true]);
      const point = {
        x: geometry.labelWidth + (cell.column + 0.5) * geometry.columnWidth - scrolled.left,
        y: geometry.headerHeight + (cell.row + 0.5) * geometry.rowHeight - scrolled.top,
      };
      expect(cellAt(point, scrolled, { ...geometry, ...TOTALS })).toEqual(cell);
      expect(scrollTo(cell, scrolled, { ...geometry, ...TOTALS })).toEqual({ left: scrolled.left, top: scrolled.top });
      expect(tilesOf({ firstRow, endRow, firstColumn, endColumn }).map(({ key }) => key)).toContain(
        tileKey(cell.row, cell.column),
      );
    }),
    PROPERTY_RUNS,
  );
});

test("shows the next request with the room for the word over it", () => {
  fc.assert(
    fc.property(anyViewport, anyDensity, (viewport, density) => {
      const shape = { ...geometryOf(density, viewport, TOTALS), ...TOTALS };
      const { left } = scrollTo({ row: 0, column: TOTALS.columns - 1 }, { ...viewport, left: 0 }, shape);
      expect(left + viewport.width).toBe(contentSize(TOTALS, shape).width);
    }),
    PROPERTY_RUNS,
  );
});

test("points over the names and the numbers are no cells, and those outside are nothing", () => {
  const shape = { ...READ, rows: 3, columns: 2 };
  expect(cellAt({ x: 5, y: READ.headerHeight + 1 }, VIEWPORT, shape)).toEqual({ row: 0, column: -1 });
  expect(cellAt({ x: READ.labelWidth + 1, y: 5 }, VIEWPORT, shape)).toEqual({ row: -1, column: 0 });
  expect(cellAt({ x: 1_000, y: 100 }, VIEWPORT, shape)).toBeUndefined();
});

test("keys move inside the matrix and nowhere else", () => {
  const keys = ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "PageUp", "PageDown", "Home", "End"];
  fc.assert(
    fc.property(anyCell, fc.constantFrom(...keys), (cell, key) => {
      const moved = moveCell(cell, key, TOTALS);
      expect(moved?.row).toBeGreaterThanOrEqual(0);
      expect(moved?.row).toBeLessThan(TOTALS.rows);
      expect(moved?.column).toBeGreaterThanOrEqual(0);
      expect(moved?.column).toBeLessThan(TOTALS.columns);
    }),
    PROPERTY_RUNS,
  );
  expect(moveCell({ row: 1, column: 1 }, "ArrowDown", TOTALS)).toEqual({ row: 2, column: 1 });
  expect(moveCell({ row: 1, column: 1 }, "End", TOTALS)).toEqual({ row: 1, column: 4_999 });
  expect(moveCell({ row: 1, column: 1 }, "a", TOTALS)).toBeUndefined();
  expect(moveCell({ row: 1, column: 1 }, "toString", TOTALS)).toBeUndefined();
});

test("a short session begins to read, a long one as an overview that fits", () => {
  expect([densityFor({ rows: 20, columns: 5 }), densityFor(TOTALS)]).toEqual(["read", "overview"]);
  const geometry = geometryOf("overview", VIEWPORT, { rows: 120, columns: 40 });
  expect(geometry.rowHeight * 120).toBeLessThanOrEqual(640);
  expect(geometryOf("read", { width: 390, height: 600 }, TOTALS).labelWidth).toBeLessThan(390 / 2);
});

test("rows and columns are named as often as there is room: every one, 2nd, 5th, 10th …", () => {
  expect([1, 12, 13, 30, 90, 150].map((room) => namedEvery(12, room))).toEqual([1, 1, 2, 5, 10, 20]);
  expect([namedEvery(3, 26), namedEvery(0.5, 34)]).toEqual([10, 100]);
});
