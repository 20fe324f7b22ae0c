import { cutMiddle, displayWidth } from "../terminal/display-width.ts";
import { countOf, formatCount, formatShare } from "../terminal/numbers.ts";
import { oneLine } from "../terminal/safe-text.ts";
import { numbersBefore, type RenderOptions, renderTable, type Section } from "../terminal/table.ts";
import type { Inspection } from "./inspection.ts";

/** The lines that list the biggest items. */
export function renderBiggest({ biggest }: Inspection, { columns, style }: RenderOptions): Section {
  if (biggest.length === 0) return [];
  const rows = biggest.map(({ messageId, kind, what, tokens, share }) => [
    formatCount(tokens),
    formatShare(share),
    KIND_NAMES[kind],
    oneLine(what),
    oneLine(messageId),
  ]);
  const titles = ["tokens", "share", "kind", "what", "message"];
  return [
    style.heading("Biggest items"),
    ...renderTable(numbersBefore(titles, 2), withShortWhat(rows, columns), columns),
  ];
}

/** The names of the kinds for a single item. */
const KIND_NAMES: Readonly<Record<Inspection["kinds"][number]["kind"], string>> = {
  "user text": "user",
  "assistant text": "assistant",
  reasoning: "reasoning",
  "tool calls": "call",
  "tool results": "result",
  images: "image",
  summaries: "summary",
  other: "other",
};

const WHAT_PLACE = 3;
const MIN_WHAT_COLUMNS = 16;

/** The rows with the column "what" cut so that the ids behind it fit on the line: a person may want to copy them. */
function withShortWhat(rows: readonly (readonly string[])[], columns: number): readonly (readonly string[])[] {
  const widest = (place: number) => rows.reduce((most, row) => Math.max(most, displayWidth(row[place] ?? "")), 0);
  const others = [0, 1, 2, 4].reduce((sum, place) => sum + Math.max(6, widest(place)) + 2, 2);
  const room = Math.max(MIN_WHAT_COLUMNS, columns - others);
  return rows.map((row) => row.with(WHAT_PLACE, cutMiddle(row[WHAT_PLACE] ?? "", room)));
}

/** The lines that list calls that were made more than once. */
export function renderRepeats({ repeats }: Inspection, { columns, style }: RenderOptions): Section {
  if (repeats.calls.length === 0 && repeats.dedupableTokens === 0) return [];
  const rows = repeats.calls.map(({ what, times, tokens, dedupableTokens }) => [
    formatCount(times),
    formatCount(tokens),
    formatCount(dedupableTokens),
    oneLine(what),
  ]);
  const titles = ["times", "tokens", "could go", "call"];
  return [
    style.heading(`Repeated calls: ${countOf(repeats.dedupableTokens, "token")} could be pointers to a newer copy`),
    ...(rows.length === 0 ? [] : renderTable(numbersBefore(titles), rows, columns)),
  ];
}
