/**
 * Draws docs/images/bill.svg, the bill of each policy against what it loses, from docs/images/bill.json, which
 * `PALIMPSEST_BILL_OUT=docs/images npm run bench -- bill --windows` writes.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import type { BillResult, BillTable } from "./bench-bill.ts";
import type { BillRow } from "./bill-table.ts";

const IMAGES = resolve(import.meta.dirname, "../../docs/images");
export const BILL_PATH = resolve(IMAGES, "bill.svg");
export const BILL_RESULT_PATH = resolve(IMAGES, "bill.json");

const WIDTH = 860;
const HEIGHT = 456;
const PLOT = { left: 70, right: 700, top: 56, bottom: 380 };
const LABEL_HEIGHT = 15;
/** Readable in the font of the picture: about so wide is a letter. */
const LETTER_WIDTH = 6.6;

export function drawBill(result: BillResult): string {
  const [table] = result.tables;
  if (table === undefined) throw new Error("docs/images/bill.json has no table: run the bench of the bill again.");
  const rows = table.rows.flatMap((row) =>
    row.lostPercent === undefined ? [] : [{ ...row, lostPercent: row.lostPercent }],
  );
  const scale = scaleOf(table.rows);
  const optimum = table.rows.find(({ lostPercent }) => lostPercent === undefined);
  const ours = rows.filter(({ policy }) =>
    ["careful", "balanced", "thrifty"].some((economy) => policy.includes(economy)),
  );
  const path = ours.map((row) => `${scale.x(row.againstSummaryPercent)},${scale.y(row.lostPercent)}`).join(" L");
  const title = `${result.sessions} real sessions, ${result.calls} calls: the bill against what is lost`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="The bill of each policy against the names that it loses">
<style>
  text { font: 13px system-ui, sans-serif; fill: #57606a } .title { font-size: 16px; font-weight: 600; fill: #1f2328 }
  .point { fill: #8c959f } .bound { fill: #fff; stroke: #8c959f; stroke-width: 1.5 } .ours { fill: #0969da } .economies { fill: none; stroke: #0969da; stroke-width: 1.5 }
  .axis { stroke: #8c959f } .rule { stroke: #d0d7de } .optimum { stroke: #1a7f37; stroke-width: 1.5; stroke-dasharray: 6 4 } .by-optimum { fill: #1a7f37 } .by-ours { fill: #0969da }
</style>
<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>
${text({ x: PLOT.left, y: 30, words: title, className: "title" })}
${drawAxes(scale).join("\n")}
${optimum === undefined ? "" : drawOptimum(optimum, scale)}
<path class="economies" d="M${path}"/>
${rows.map((row) => drawPoint(row, scale)).join("\n")}
${drawLabels(rows, scale).join("\n")}
${drawCaption(table).join("\n")}
</svg>
`;
}

function drawCaption({ profile, contextWindow }: BillTable): readonly string[] {
  const lines = [
    `right: the bill against a summary at 80 % (${profile}, a window of ${contextWindow / 1_000}k)`,
    "up: names that the agent needed next and the view no longer showed; hollow: the most that a summary can lose",
  ];
  return lines.map((words, i) => text({ x: WIDTH / 2, y: PLOT.bottom + 44 + 18 * i, words, anchor: "middle" }));
}

type PlottedRow = BillRow & { readonly lostPercent: number };

interface Scale {
  readonly x: (percent: number) => number;
  readonly y: (percent: number) => number;
  readonly bills: readonly number[];
  readonly losses: readonly number[];
}

function scaleOf(rows: readonly BillRow[]): Scale {
  const bills = rows.map(({ againstSummaryPercent }) => againstSummaryPercent);
  const [least, most] = [Math.floor(Math.min(...bills) / 10) * 10, Math.ceil(Math.max(...bills) / 10) * 10];
  const mostLost = Math.ceil(Math.max(...rows.map(({ lostPercent = 0 }) => lostPercent)) / 2) * 2;
  const rounded = (value: number) => Number(value.toFixed(1));
  return {
    x: (percent) => rounded(PLOT.left + ((PLOT.right - PLOT.left) * (percent - least)) / (most - least)),
    y: (percent) => rounded(PLOT.bottom - ((PLOT.bottom - PLOT.top) * percent) / mostLost),
    bills: stepsFrom(least, most, 10),
    losses: stepsFrom(0, mostLost, 2),
  };
}

function stepsFrom(first: number, last: number, step: number): readonly number[] {
  return Array.from({ length: Math.round((last - first) / step) + 1 }, (_, i) => first + i * step);
}

function drawAxes({ x, y, bills, losses }: Scale): readonly string[] {
  const rules = losses.flatMap((loss) => [
    `<line class="rule" x1="${PLOT.left}" x2="${PLOT.right}" y1="${y(loss)}" y2="${y(loss)}"/>`,
    text({ x: PLOT.left - 10, y: y(loss) + 4, words: `${loss} %`, anchor: "end" }),
  ]);
  const ticks = bills.map((bill) =>
    text({ x: x(bill), y: PLOT.bottom + 20, words: `${signOf(bill)}${Math.abs(bill)} %`, anchor: "middle" }),
  );
  return [
    ...rules,
    ...ticks,
    `<line class="axis" x1="${PLOT.left}" x2="${PLOT.right}" y1="${PLOT.bottom}" y2="${PLOT.bottom}"/>`,
  ];
}

function signOf(percent: number): string {
  if (percent === 0) return "";
  return percent > 0 ? "+" : "−";
}

function drawOptimum({ againstSummaryPercent }: BillRow, { x }: Scale): string {
  const at = x(againstSummaryPercent);
  const line = `<line class="optimum" x1="${at}" x2="${at}" y1="${PLOT.top}" y2="${PLOT.bottom}"/>`;
  return `${line}\n${text({ x: at + 6, y: PLOT.top - 6, words: "optimum (16k left)", className: "by-optimum" })}`;
}

function isOurs({ policy }: BillRow): boolean {
  return policy.startsWith("ours");
}

/** A summary's own words are not known: the bench says the most that it can lose. */
function drawPoint(row: PlottedRow, { x, y }: Scale): string {
  const className = isOurs(row) ? "ours" : row.policy.startsWith("summary") ? "bound" : "point";
  return `<circle class="${className}" cx="${x(row.againstSummaryPercent)}" cy="${y(row.lostPercent)}" r="4.5"/>`;
}

/** Names stand beside their points, moved up where they would cover another. */
function drawLabels(rows: readonly PlottedRow[], { x, y }: Scale): readonly string[] {
  const placed: { readonly left: number; readonly right: number; readonly y: number }[] = [];
  return rows
    .toSorted((one, other) => one.lostPercent - other.lostPercent)
    .map((row) => {
      const left = x(row.againstSummaryPercent) + 9;
      const right = left + LETTER_WIDTH * row.policy.length;
      let top = y(row.lostPercent) - 4;
      const isCovering = () =>
        placed.some((other) => left < other.right && right > other.left && Math.abs(top - other.y) < LABEL_HEIGHT);
      while (isCovering()) top -= 1;
      placed.push({ left, right, y: top });
      return text({ x: left, y: top, words: row.policy, className: isOurs(row) ? "by-ours" : "" });
    });
}

interface DrawnText {
  readonly x: number;
  readonly y: number;
  readonly words: string;
  readonly anchor?: string;
  readonly className?: string;
}

function text({ x, y, words, anchor = "start", className = "" }: DrawnText): string {
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}" class="${className}">${words}</text>`;
}

export function readBillResult(): BillResult {
  return JSON.parse(readFileSync(BILL_RESULT_PATH, "utf8"));
}

if (import.meta.main) writeFileSync(BILL_PATH, drawBill(readBillResult()));
