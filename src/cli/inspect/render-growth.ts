import { sparkline, sparklineColumn } from "../terminal/bar.ts";
import { countOf, formatCount } from "../terminal/numbers.ts";
import type { Inspection } from "./inspection.ts";
import type { RenderOptions, Section } from "./section.ts";

const INDENT = "  ";
const MARK = "▲";

/** How the context grew, with a mark below each compaction. */
export function renderGrowth({ growth }: Inspection, { columns, style }: RenderOptions): Section {
  const { calls, peakTokens, reportedPeakTokens, compactions } = growth;
  if (calls.length === 0) return [];
  const room = columns - INDENT.length;
  const values = calls.map(({ tokens }) => tokens);
  const reported =
    reportedPeakTokens === undefined ? "" : `; ${formatCount(reportedPeakTokens)} with system prompt and tools`;
  const places = new Set(
    compactions.map(({ callIndex }) => sparklineColumn(Math.min(callIndex, calls.length - 1), calls.length, room)),
  );
  return [
    style.heading(`Context at each model call: at most ${countOf(peakTokens, "token")}${reported}`),
    `${INDENT}${style.bar(sparkline(values, room))}`,
    ...(places.size === 0
      ? []
      : [`${INDENT}${marksAt(places)}`, style.faint(`${INDENT}${MARK} the agent compacted its context`)]),
  ];
}

function marksAt(places: ReadonlySet<number>): string {
  const last = Math.max(...places);
  return Array.from({ length: last + 1 }, (_, place) => (places.has(place) ? MARK : " ")).join("");
}
