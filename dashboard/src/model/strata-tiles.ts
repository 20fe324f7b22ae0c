import type { VisibleRange } from "./strata-viewport.ts";

/** A part of the matrix that is asked for at once; ends are excluded. */
export interface Tile {
  readonly key: string;
  readonly fromMessage: number;
  readonly toMessage: number;
  readonly fromRequest: number;
  readonly toRequest: number;
}

export const TILE_ROWS = 250;
export const TILE_COLUMNS = 1_000;

/** The tiles that a range of the matrix lies in. */
export function tilesOf({ firstRow, endRow, firstColumn, endColumn }: VisibleRange): readonly Tile[] {
  const tiles: Tile[] = [];
  for (let row = Math.floor(firstRow / TILE_ROWS); row * TILE_ROWS < Math.max(endRow, firstRow + 1); row++) {
    const firstTile = Math.floor(firstColumn / TILE_COLUMNS);
    for (let column = firstTile; column * TILE_COLUMNS < Math.max(endColumn, firstColumn + 1); column++) {
      tiles.push(tileAt(row, column));
    }
  }
  return tiles;
}

function tileAt(row: number, column: number): Tile {
  return {
    key: `${row}:${column}`,
    fromMessage: row * TILE_ROWS,
    toMessage: (row + 1) * TILE_ROWS,
    fromRequest: column * TILE_COLUMNS,
    toRequest: (column + 1) * TILE_COLUMNS,
  };
}

/** The key of the tile that a cell lies in. */
export function tileKey(row: number, column: number): string {
  return `${Math.floor(row / TILE_ROWS)}:${Math.floor(column / TILE_COLUMNS)}`;
}

/** The least recently used keys that are more than there may be. */
export function overflowing<Value>(used: ReadonlyMap<string, Value>, most: number): readonly string[] {
  return [...used.keys()].slice(0, Math.max(0, used.size - most));
}
