import type { ReportData } from "../api/report-types.ts";
import type { Strata } from "../api/strata-types.ts";
import type { BarCategory } from "../api/types.ts";
import type { Tile } from "./strata-tiles.ts";
import type { BarSegment } from "./window-bar.ts";

const KINDS: Readonly<Record<string, readonly [category: BarCategory, name: string]>> = {
  "user text": ["user", "You"],
  "assistant text": ["assistant", "Model"],
  thinking: ["reasoning", "Reasoning"],
  reasoning: ["reasoning", "Reasoning"],
  "tool calls": ["tools", "Tool calls"],
  "tool results": ["toolResults", "Tool results"],
  images: ["images", "Images"],
  summaries: ["standIns", "Summaries"],
};

/** What fills a session file, as segments of one bar. */
export function reportBar({ kinds }: Pick<ReportData, "kinds">): readonly BarSegment[] {
  return kinds.map(({ kind, items, tokens, share }) => {
    const [category, name] = KINDS[kind] ?? ["system", kind];
    return { category, name, meaning: `${items}`, tokens, share };
  });
}

/** A part of the matrix, from a report that has all of it. */
export function strataTile(
  strata: Strata,
  { fromMessage, toMessage, fromRequest, toRequest }: Omit<Tile, "key">,
): Strata {
  const { messages, requests } = strata;
  return {
    ...strata,
    messages: { ...messages, from: fromMessage, rows: messages.rows.slice(fromMessage, toMessage) },
    requests: { ...requests, from: fromRequest, columns: requests.columns.slice(fromRequest, toRequest) },
  };
}
