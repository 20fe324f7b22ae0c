import { bar } from "../terminal/bar.ts";
import { fitWidth } from "../terminal/display-width.ts";
import { countOf, formatCount, formatShare } from "../terminal/numbers.ts";
import { oneLine } from "../terminal/safe-text.ts";
import { renderTable } from "../terminal/table.ts";
import type { Inspection } from "./inspection.ts";
import { renderFolding } from "./render-folding.ts";
import { renderGrowth } from "./render-growth.ts";
import { renderBiggest, renderRepeats } from "./render-lists.ts";
import { renderState } from "./render-state.ts";
import { numbersBefore, type RenderOptions, type Section } from "./section.ts";

/** The inspection as a person reads it. */
export function renderInspection(inspection: Inspection, fileName: string, options: RenderOptions): string {
  const sections: readonly Section[] = [
    renderTitle(inspection, fileName, options),
    renderKinds(inspection, options),
    renderTools(inspection, options),
    renderBiggest(inspection, options),
    renderRepeats(inspection, options),
    renderGrowth(inspection, options),
    renderFolding(inspection, options),
    renderState(inspection, options),
  ];
  const shown = sections.filter((lines) => lines.length > 0).map((lines) => `${lines.join("\n")}\n`);
  return shown.join("\n");
}

function renderTitle(inspection: Inspection, fileName: string, { style }: RenderOptions): Section {
  const { format, modelId, messages, modelCalls, tokens, contextTokens, growth, systemPromptTokens } = inspection;
  const { length: compactions } = growth.compactions;
  const facts = [
    oneLine(format),
    ...(modelId === undefined ? [] : [oneLine(modelId)]),
    countOf(messages, "message"),
    countOf(modelCalls, "model call"),
    ...(compactions === 0 ? [] : [countOf(compactions, "compaction")]),
  ];
  const sizes = [
    `${countOf(tokens, "token")} in all`,
    ...(contextTokens === tokens ? [] : [`${formatCount(contextTokens)} in the context at the end`]),
    ...(systemPromptTokens === undefined ? [] : [`${formatCount(systemPromptTokens)} more for the system prompt`]),
  ];
  return [style.heading(oneLine(fileName)), facts.join(" · "), sizes.join(" · ")];
}

const KIND_COLUMNS = 14;
const NUMBER_COLUMNS = 11;
const SHARE_COLUMNS = 7;

function renderKinds({ kinds }: Inspection, { columns, style }: RenderOptions): Section {
  const [largest] = kinds;
  if (largest === undefined) return [];
  const barColumns = Math.max(8, Math.min(50, columns - 2 - KIND_COLUMNS - 2 - NUMBER_COLUMNS - SHARE_COLUMNS - 12));
  const lines = kinds.map(({ kind, items, tokens, share }) => {
    const drawn = bar(largest.tokens === 0 ? 0 : tokens / largest.tokens, barColumns);
    return [
      `  ${fitWidth(kind, KIND_COLUMNS)}  `,
      style.bar(drawn),
      " ".repeat(barColumns - drawn.length),
      fitWidth(formatCount(tokens), NUMBER_COLUMNS, "right"),
      fitWidth(formatShare(share), SHARE_COLUMNS, "right"),
      style.faint(fitWidth(`${formatCount(items)} ×`, NUMBER_COLUMNS, "right")),
    ].join("");
  });
  return [style.heading("Tokens by kind"), ...lines];
}

const MAX_TOOLS = 12;

function renderTools({ tools }: Inspection, { columns, style }: RenderOptions): Section {
  if (tools.length === 0) return [];
  const rows = tools
    .slice(0, MAX_TOOLS)
    .map(({ tool, calls, errors, callTokens, resultTokens, share }) => [
      formatCount(calls),
      formatCount(errors),
      formatCount(callTokens),
      formatCount(resultTokens),
      formatShare(share),
      tool === undefined ? "(no call in the file)" : oneLine(tool),
    ]);
  const titles = ["calls", "errors", "in calls", "in results", "share", "tool"];
  const more = tools.length - rows.length;
  return [
    style.heading("Tokens by tool"),
    ...renderTable(numbersBefore(titles), rows, columns),
    ...(more > 0 ? [style.faint(`  and ${countOf(more, "more tool")}; --json lists them all`)] : []),
  ];
}
