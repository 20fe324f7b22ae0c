import type { Strata, StrataColumn, StrataFold, StrataRow } from "../api/strata-types.ts";
import { blockRows, type ShownRow, withNow } from "../model/strata-cells.ts";
import { mapRows } from "../model/strata-rows.ts";
import { overflowing, type Tile, tileKey, tilesOf } from "../model/strata-tiles.ts";
import type { Totals, VisibleRange } from "../model/strata-viewport.ts";

/** The matrix of messages and requests, of which only what shows is held. Rows are messages, and the blocks of those that are expanded. */
export interface StrataSource {
  totals(): Totals;
  messages(): number;
  /** The requests without the column that stands for the next one. */
  requests(): number;
  /** Undefined while it is not loaded. */
  row(row: number, column: number): ShownRow | undefined;
  /** The row of a message, whatever is expanded. */
  rowOf(message: number): number;
  isExpanded(message: number): boolean;
  /** Shows the blocks of the message of a row as rows, or no longer. Says which row has the message. */
  expand(row: number, isExpanded: boolean): number;
  column(column: number): StrataColumn | undefined;
  /** The newest request, wherever somebody looks. */
  newest(): StrataColumn | undefined;
  folds(): ReadonlyMap<string, StrataFold>;
  /** The folds that a request was the first to show, also those that were made by hand before it. */
  foldsAt(column: number): readonly StrataFold[];
  /** Loads what is missing of a range; calls back when there is something new to draw. */
  show(range: VisibleRange): void;
  /** What is loaded may have changed: it is asked for again where it shows. */
  refresh(): Promise<void>;
}

/** `expand` names the messages whose blocks are wanted. */
export type LoadTile = (tile: Omit<Tile, "key"> & { readonly expand: readonly number[] }) => Promise<Strata>;

interface LoadedTile {
  readonly rows: ReadonlyMap<number, StrataRow>;
  readonly blocks: ReadonlyMap<number, readonly ShownRow[]>;
  readonly columns: ReadonlyMap<number, StrataColumn>;
  isStale: boolean;
}

const NO_FOLDS: readonly StrataFold[] = [];

/** A part that could not be loaded is asked for again after this time, or when something changed. */
const RETRY_MS = 2_000;

/** 250 rows each: as much as a dozen screens. */
const MOST_TILES = 48;

export function createStrataSource(load: LoadTile, onChange: (error?: unknown) => void): StrataSource {
  const tiles = new Map<string, LoadedTile>();
  const loading = new Map<string, Promise<void>>();
  const failed = new Set<string>();
  const folds = new Map<string, StrataFold>();
  let foldsByColumn = new Map<number, readonly StrataFold[]>();
  const expanded = new Map<number, number>();
  let rowMap = mapRows(expanded);
  /** In messages, not in rows. */
  let shown: VisibleRange = { firstRow: 0, endRow: 1, firstColumn: 0, endColumn: 1 };
  let [messages, requests] = [0, 0];
  let newestColumn: StrataColumn | undefined;

  function keep(key: string, strata: Strata): void {
    messages = strata.messages.total;
    requests = strata.requests.total;
    for (const fold of strata.folds) folds.set(fold.foldId, fold);
    foldsByColumn = new Map();
    for (const fold of folds.values()) {
      const at = fold.request ?? -1;
      foldsByColumn.set(at, [...(foldsByColumn.get(at) ?? []), fold]);
    }
    const newest = strata.requests.columns.find(({ index }) => index === requests - 1);
    if (newest !== undefined) newestColumn = newest;
    const isCaching = (newest?.cacheReadTokens ?? 0) > 0;
    const rows = new Map(strata.messages.rows.map((row) => [row.index, withNow(row, requests, isCaching)]));
    const blocks = new Map(
      strata.messages.rows
        .filter((row) => row.blocks !== undefined)
        .map((row) => [row.index, blockRows(row).map((block) => withNow(block, requests, isCaching))]),
    );
    const columns = new Map(strata.requests.columns.map((column) => [column.index, column]));
    tiles.delete(key);
    tiles.set(key, { rows, blocks, columns, isStale: false });
    for (const old of overflowing(tiles, MOST_TILES)) tiles.delete(old);
  }

  function fetchTile(tile: Tile): Promise<void> {
    const known = loading.get(tile.key);
    if (known !== undefined) return known;
    const { key, ...range } = tile;
    const expand = [...expanded.keys()].filter((at) => range.fromMessage <= at && at < range.toMessage);
    const done = load({ ...range, expand })
      .then((strata) => keep(key, strata))
      .then(
        () => onChange(),
        (error: unknown) => {
          failed.add(key);
          onChange(error);
          setTimeout(() => {
            if (failed.delete(key)) onChange(error);
          }, RETRY_MS);
        },
      )
      .finally(() => loading.delete(key));
    loading.set(key, done);
    return done;
  }

  function wanted(): readonly Tile[] {
    return tilesOf(shown).filter(({ key }) => tiles.get(key)?.isStale !== false && !failed.has(key));
  }

  /** Asks again for what shows, with what is being loaded: that was asked for before the change. */
  async function reload(): Promise<void> {
    await Promise.all(loading.values());
    await Promise.all(wanted().map(fetchTile));
  }

  return {
    totals: () => ({ rows: rowMap.total(messages), columns: requests + 1 }),
    messages: () => messages,
    requests: () => requests,
    row: (row, column) => {
      const { message, block } = rowMap.placeOf(row);
      const tile = tiles.get(tileKey(message, column));
      return block === undefined ? tile?.rows.get(message) : tile?.blocks.get(message)?.[block];
    },
    rowOf: (message) => rowMap.rowOf(message),
    isExpanded: (message) => expanded.has(message),
    expand: (row, isExpanded) => {
      const { message } = rowMap.placeOf(row);
      const key = tileKey(message, shown.firstColumn);
      const count = tiles.get(key)?.rows.get(message)?.blockCount ?? 0;
      if (isExpanded && count > 1) expanded.set(message, count);
      else expanded.delete(message);
      rowMap = mapRows(expanded);
      // Without its blocks what is loaded is still true.
      for (const tile of tiles.values()) tile.isStale ||= isExpanded && tile.rows.has(message);
      onChange();
      void reload();
      return rowMap.rowOf(message);
    },
    column: (column) => tiles.get(tileKey(shown.firstRow, column))?.columns.get(column),
    newest: () => newestColumn,
    folds: () => folds,
    foldsAt: (column) => foldsByColumn.get(column) ?? NO_FOLDS,
    show: ({ firstRow, endRow, ...columns }) => {
      const last = rowMap.placeOf(Math.max(firstRow, endRow - 1)).message;
      shown = { firstRow: rowMap.placeOf(firstRow).message, endRow: last + 1, ...columns };
      for (const tile of wanted()) void fetchTile(tile);
    },
    refresh: async () => {
      for (const tile of tiles.values()) tile.isStale = true;
      failed.clear();
      await reload();
    },
  };
}
