const COLUMNS: readonly (readonly [string, string])[] = [
  [
    "cFRR",
    "needed identifiers that the view shows in a line of the log, word for word (needed: used later, not told again)",
  ],
  ["FRR", "needed identifiers that the view names at all, also in a bare list"],
  ["EAR", "lines that the agent replaced later and that the view shows"],
  ["cFRR+1q", "cFRR, where for each identifier that is missed one query to recall over the log is allowed"],
  [
    "after 10",
    "cFRR after ten compactions on the way, as a share of cFRR after a single one; – where that is under 5 %",
  ],
  ["tokens", "mean size of the view"],
  ["p50 ms", "time of one compaction: half of them take no longer"],
  ["p95 ms", "the same for 95 % of them"],
];

const NOTES = [
  "Percent are means over sessions, with the 95 % interval in brackets. A view over its budget counts as empty.",
  "References are no ways to compact: the oracle knows what will be needed; everything is the whole log, over the budget.",
];

const NAME_WIDTH = 2 + Math.max(...COLUMNS.map(([name]) => name.length));

/** What the columns of the table mean, one line for each, and how to read its rows. */
export const EVAL_LEGEND: string = [
  ...COLUMNS.map(([name, meaning]) => `${name.padEnd(NAME_WIDTH)}${meaning}`),
  ...NOTES,
].join("\n");
