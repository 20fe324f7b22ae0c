import { assert } from "../../assert.ts";
import { EVERYTHING } from "../contestants.ts";
import type { EvalResult } from "../eval-types.ts";

/** The measure that is drawn. */
export type PlottedMeasure = "cfrr" | "frr" | "ear" | "cfrrWithRecall";

export interface EvalPlotOptions {
  /** @default "cfrr" */
  readonly measure?: PlottedMeasure;
  /** The strategy whose line is drawn thicker. @default none */
  readonly highlight?: string;
}

const TITLES: Readonly<Record<PlottedMeasure, string>> = {
  cfrr: "Needed identifiers visible in a verbatim source line (cFRR)",
  frr: "Needed identifiers visible (FRR)",
  ear: "Lines of later edits visible (EAR)",
  cfrrWithRecall: "cFRR with one recall query for each miss",
};

const WIDTH = 760;
const HEIGHT = 420;
const PLOT = { left: 72, right: 560, top: 48, bottom: 372 };
const TICKS = [0, 0.2, 0.4, 0.6, 0.8, 1];
/** Readable on white and on black. */
const INK = "#7d8590";
const COLORS = [
  "#3b82f6",
  "#f59e0b",
  "#10b981",
  "#ef4444",
  "#8b5cf6",
  "#06b6d4",
  "#ec4899",
  "#84cc16",
  "#a16207",
  "#64748b",
];
const LABEL_HEIGHT = 16;
const INTERVAL_WIDTH = 4;

/**
 * The result as an SVG image: quality against budget, one line for each strategy with its interval. No background.
 * @example
 * ```ts
 * import { evalPlot, runEvals, seededRandom } from "palimpsest/evals";
 * const result = runEvals([], { clock: () => 0, random: seededRandom(1), budgets: [1_000] });
 * console.log(evalPlot(result).startsWith("<svg")); // true
 * ```
 */
export function evalPlot(result: EvalResult, { measure = "cfrr", highlight }: EvalPlotOptions = {}): string {
  assert(Object.hasOwn(TITLES, measure), "measure", measure, Object.keys(TITLES).join(", "));
  const lines = plotLines(result, measure);
  const scale = createScale(result.budgets);
  const drawn = lines.map((line, index) => {
    const shift = (index - (lines.length - 1) / 2) * INTERVAL_WIDTH;
    return drawLine(line, scale, { color: colorOf(index), isBold: line.name === highlight, shift });
  });
  const title = text(TITLES[measure], { x: PLOT.left, y: 24, "font-size": 15, "font-weight": 600, fill: INK });
  const name = `<title>${TITLES[measure]}</title>`;
  const content = [name, title, ...drawAxes(result.budgets, scale), ...drawn, ...drawLabels(lines, scale)].join("\n");
  const frame = { xmlns: "http://www.w3.org/2000/svg", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img" };
  return `<svg${attributes({ ...frame, "font-family": "system-ui, sans-serif", "font-size": 12 })}>\n${content}\n</svg>\n`;
}

interface Scale {
  /** Budgets have equal distances, because each is twice the one before. */
  readonly x: (budgetTokens: number) => number;
  readonly y: (share: number) => number;
}

function createScale(budgets: readonly number[]): Scale {
  const step = (PLOT.right - PLOT.left) / Math.max(1, budgets.length - 1);
  return {
    x: (budgetTokens) => PLOT.left + Math.max(0, budgets.indexOf(budgetTokens)) * step,
    y: (share) => PLOT.bottom - share * (PLOT.bottom - PLOT.top),
  };
}

function drawAxes(budgets: readonly number[], { x, y }: Scale): readonly string[] {
  const rules = TICKS.flatMap((tick) => [
    element("line", { x1: PLOT.left, x2: PLOT.right, y1: y(tick), y2: y(tick), stroke: INK, "stroke-opacity": 0.25 }),
    text(`${tick * 100} %`, { x: PLOT.left - 24, y: y(tick) + 4, "text-anchor": "end", fill: INK }),
  ]);
  const names = budgets.map((budget) => {
    return text(`${budget / 1_000}k tokens`, { x: x(budget), y: PLOT.bottom + 22, "text-anchor": "middle", fill: INK });
  });
  return [...rules, ...names];
}

function colorOf(index: number): string {
  return COLORS[index % COLORS.length] ?? INK;
}

interface Pen {
  readonly color: string;
  readonly isBold: boolean;
  /** The horizontal offset of its intervals, so that those of several lines are side by side. */
  readonly shift: number;
}

function drawLine({ points }: PlotLine, { x, y }: Scale, { color, isBold, shift }: Pen): string {
  const path = points.map(({ budgetTokens, mean }) => `${x(budgetTokens)},${y(mean).toFixed(1)}`).join(" ");
  const width = isBold ? 3.5 : 1.75;
  const line = element("polyline", { points: path, fill: "none", stroke: color, "stroke-width": width });
  const marks = points.flatMap(({ budgetTokens, mean, low, high }) => {
    const at = x(budgetTokens);
    const bar = { x1: at + shift, x2: at + shift, y1: y(low).toFixed(1), y2: y(high).toFixed(1) };
    return [
      element("line", { ...bar, stroke: color, "stroke-opacity": 0.35, "stroke-width": INTERVAL_WIDTH }),
      element("circle", { cx: at, cy: y(mean).toFixed(1), r: isBold ? 4.5 : 3, fill: color }),
    ];
  });
  return [line, ...marks].join("\n");
}

/** Draws the names at the end of their lines, moved apart where they would overlap. */
function drawLabels(lines: readonly PlotLine[], { y }: Scale): readonly string[] {
  const wanted = lines.map(({ name, points }, index) => {
    const mean = points.at(-1)?.mean ?? 0;
    return { label: `${name} ${(mean * 100).toFixed(0)} %`, at: y(mean), color: colorOf(index) };
  });
  let lowest = PLOT.bottom + LABEL_HEIGHT;
  const placed = wanted
    .sort((one, other) => other.at - one.at)
    .map((label) => {
      lowest = Math.min(label.at, lowest - LABEL_HEIGHT);
      return { ...label, at: lowest };
    });
  return placed.map(({ label, at, color }) => text(label, { x: PLOT.right + 26, y: (at + 4).toFixed(1), fill: color }));
}

/** One strategy over all budgets. */
interface PlotLine {
  readonly name: string;
  readonly points: readonly PlotPoint[];
}

interface PlotPoint {
  readonly budgetTokens: number;
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

/**
 * The lines of a plot, by strategy. Budgets at which nothing was measured have no point. Strategies without points have no line, and
 * neither does the whole log.
 */
function plotLines({ rows }: EvalResult, measure: PlottedMeasure): readonly PlotLine[] {
  const names = new Set(rows.map(({ strategy }) => strategy));
  names.delete(EVERYTHING.name);
  return [...names]
    .map((name) => ({
      name,
      points: rows
        .filter(({ strategy }) => strategy === name)
        .flatMap((row) => {
          const estimate = row[measure];
          if (estimate === undefined) return [];
          const { mean, low, high } = estimate;
          return [{ budgetTokens: row.budgetTokens, mean, low, high }];
        }),
    }))
    .filter(({ points }) => points.length > 0);
}

type Attributes = Readonly<Record<string, string | number>>;

const ESCAPES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** An element without content. */
function element(name: string, values: Attributes): string {
  return `<${name}${attributes(values)}/>`;
}

function text(content: string, values: Attributes): string {
  return `<text${attributes(values)}>${escapeText(content)}</text>`;
}

function attributes(values: Attributes): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${escapeText(String(value))}"`)
    .join("");
}

function escapeText(value: string): string {
  return value.replace(/[&<>"]/g, (character) => ESCAPES[character] ?? character);
}
