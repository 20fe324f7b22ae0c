import type { Strata, StrataColumn, StrataFold, StrataRow } from "../api/strata-types.ts";
import { withNow } from "../model/strata-cells.ts";
import { overflowing, type Tile, tileKey, tilesOf } from "../model/strata-tiles.ts";
import type { Totals, VisibleRange } from "../model/strata-viewport.ts";

/** The matrix of messages and requests, of which only what shows is held. */
export interface StrataSource {
  totals(): Totals;
  /** The requests without the column that stands for the next one. */
  requests(): number;
  /** Undefined while it is not loaded. */
  row(row: number, column: number): StrataRow | undefined;
  column(column: number): StrataColumn | undefined;
  folds(): ReadonlyMap<string, StrataFold>;
  /** Loads what is missing of a range; calls back when there is something new to draw. */
  show(range: VisibleRange): void;
  /** What is loaded may have changed: it is asked for again where it shows. */
  refresh(): Promise<void>;
}

export type LoadTile = (tile: Omit<Tile, "key">) => Promise<Strata>;

interface LoadedTile {
  readonly rows: ReadonlyMap<number, StrataRow>;
  readonly columns: ReadonlyMap<number, StrataColumn>;
  isStale: boolean;
}

/** 250 rows each: as much as a dozen screens. */
const MOST_TILES = 48;

export function createStrataSource(load: LoadTile, onChange: (error?: unknown) => void): StrataSource {
  const tiles = new Map<string, LoadedTile>();
  const loading = new Map<string, Promise<void>>();
  const folds = new Map<string, StrataFold>();
  let shown: VisibleRange = { firstRow: 0, endRow: 1, firstColumn: 0, endColumn: 1 };
  let [messages, requests] = [0, 0];

  function keep(key: string, strata: Strata): void {
    messages = strata.messages.total;
    requests = strata.requests.total;
    for (const fold of strata.folds) folds.set(fold.foldId, fold);
    const newest = strata.requests.columns.find(({ index }) => index === requests - 1);
    const isCaching = (newest?.cacheReadTokens ?? 0) > 0;
    const rows = new Map(strata.messages.rows.map((row) => [row.index, withNow(row, requests, isCaching)]));
    const columns = new Map(strata.requests.columns.map((column) => [column.index, column]));
    tiles.delete(key);
    tiles.set(key, { rows, columns, isStale: false });
    for (const old of overflowing(tiles, MOST_TILES)) tiles.delete(old);
  }

  function fetchTile(tile: Tile): Promise<void> {
    const known = loading.get(tile.key);
    if (known !== undefined) return known;
    const { key, ...range } = tile;
    const done = load(range)
      .then((strata) => keep(key, strata))
      .then(() => onChange(), onChange)
      .finally(() => loading.delete(key));
    loading.set(key, done);
    return done;
  }

  function wanted(): readonly Tile[] {
    return tilesOf(shown).filter(({ key }) => tiles.get(key)?.isStale !== false);
  }

  return {
    totals: () => ({ rows: messages, columns: requests + 1 }),
    requests: () => requests,
    row: (row, column) => tiles.get(tileKey(row, column))?.rows.get(row),
    column: (column) => tiles.get(tileKey(shown.firstRow, column))?.columns.get(column),
    folds: () => folds,
    show: (range) => {
      shown = range;
      for (const tile of wanted()) void fetchTile(tile);
    },
    refresh: async () => {
      for (const tile of tiles.values()) tile.isStale = true;
      // What is being loaded was asked for before the change.
      await Promise.all(loading.values());
      await Promise.all(wanted().map(fetchTile));
    },
  };
}
