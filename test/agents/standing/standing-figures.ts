import { appendFileSync } from "node:fs";
import type { StandingRun } from "./run-standing.ts";
import { leastSighting, type Sighting, STANDING_ITEM_NAMES, type StandingItem, sight } from "./standing-items.ts";

/** What is shown of one agent: a column per way in which it worked, a line per item. */
export interface StandingFigures {
  add(column: string, sightingOf: (item: StandingItem) => Sighting | undefined, run: StandingRun): void;
  /** A table as text; empty where nothing was added. */
  text(): string;
}

export function standingFigures(): StandingFigures {
  const columns: { readonly title: string; readonly cells: ReadonlyMap<string, string> }[] = [];
  return {
    add(title, sightingOf, { items, requests }) {
      const cells = new Map(items.map((item) => [String(item.name), cellOf(sightingOf(item))]));
      cells.set(FOLDED, `${requests.at(-1)?.foldings ?? 0} in ${requests.length}`);
      columns.push({ title, cells });
    },
    text() {
      if (columns.length === 0) return "";
      const header = ["lines visible", ...columns.map(({ title }) => title)];
      const rows = [...STANDING_ITEM_NAMES, FOLDED].map((name) => [
        name,
        ...columns.map(({ cells }) => cells.get(name) ?? NOTHING),
      ]);
      return tableOf([header, ...rows.filter(([, ...cells]) => cells.some((cell) => cell !== NOTHING))]);
    },
  };
}

/** The columns of a run with folds: what was visible at the worst request after one fold, after five, and of all. */
export function addFolded(figures: StandingFigures, title: string, run: StandingRun): void {
  figures.add(
    `${title}: 1 fold`,
    leastWhere(run, (foldings) => foldings === 1),
    run,
  );
  figures.add(
    "5 folds",
    leastWhere(run, (foldings) => foldings >= 5),
    run,
  );
  addLeast(figures, "least", run);
}

/** The column of what was visible at the worst of all folded requests. */
export function addLeast(figures: StandingFigures, title: string, run: StandingRun): void {
  figures.add(
    title,
    leastWhere(run, (foldings) => foldings > 0),
    run,
  );
}

function leastWhere({ requests }: StandingRun, isMeant: (foldings: number) => boolean) {
  const meant = requests.filter(({ foldings }) => isMeant(foldings));
  return (item: StandingItem) => leastSighting(item, meant);
}

/** Without a gateway everything that is said is visible. */
export function addUnfolded(figures: StandingFigures, title: string, run: StandingRun): void {
  figures.add(title, (item) => leastSighting(item, run.requests.slice(-REQUESTS_AT_THE_END)), run);
}

/** The charter is read again shortly before the end. */
const REQUESTS_AT_THE_END = 4;

export function addOwnSummary(figures: StandingFigures, title: string, run: StandingRun): void {
  const { ownSummary } = run;
  if (ownSummary === undefined) return;
  const { before, after } = ownSummary;
  figures.add(
    title,
    (item) => {
      const sighting = sight(item, before, after);
      return sighting.said === 0 ? undefined : sighting;
    },
    run,
  );
}

const { PALIMPSEST_AGENTS_FIGURES } = process.env;

/** Prints a table, and keeps it where a file is named for that. */
export function tellFigures(title: string, text: string): void {
  if (text === "") return;
  console.log(`${title}\n${text}`);
  if (PALIMPSEST_AGENTS_FIGURES) appendFileSync(PALIMPSEST_AGENTS_FIGURES, `${title}\n${text}\n\n`);
}

const NOTHING = "–";
/** How often the view was folded, and in how many requests. */
const FOLDED = "folded, in requests";

function cellOf(sighting: Sighting | undefined): string {
  return sighting === undefined ? NOTHING : `${sighting.visible}/${sighting.said}`;
}

function tableOf(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const lineOf = (row: readonly string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  const [header = [], ...others] = rows;
  const rule = `|${widths.map((width) => "-".repeat(width + 2)).join("|")}|`;
  return [lineOf(header), rule, ...others.map(lineOf)].join("\n");
}
