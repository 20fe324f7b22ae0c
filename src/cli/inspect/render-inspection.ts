import type { Fold } from "../../core/history/list-folds.ts";
import { bar, sparkline, sparklineColumn } from "../terminal/bar.ts";
import { cutToWidth, fitWidth } from "../terminal/display-width.ts";
import { countOf, formatCount, formatShare } from "../terminal/numbers.ts";
import { oneLine } from "../terminal/safe-text.ts";
import { numbersBefore, type RenderOptions, renderTable, type Section } from "../terminal/table.ts";
import type { Folding, Inspection, Pairs } from "./inspection.ts";
import { renderBiggest, renderRepeats } from "./render-lists.ts";

/** The output of `palimpsest inspect`. */
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

const INDENT = "  ";
const MARK = "▲";

/** How the context grew, with a mark below each compaction. */
function renderGrowth({ growth }: Inspection, { columns, style }: RenderOptions): Section {
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

/** The lines that say what would be folded to send the whole session. */
function renderFolding({ folding, tokens }: Inspection, { style }: RenderOptions): Section {
  const { contextWindow, allowedTokens, outcome } = folding;
  const heading = style.heading(`In a window of ${formatCount(contextWindow)}`);
  if (outcome === "cannot-fit") {
    const left = formatCount(Math.max(0, allowedTokens));
    return [heading, `  ${left} tokens are left for messages: no view fits. Pass a larger --window.`];
  }
  const room = `${formatCount(allowedTokens)} tokens are left for messages`;
  if (outcome === "unchanged") return [heading, `  ${room}: nothing would be folded.`];
  return [
    heading,
    `  ${room}: ${formatCount(tokens)} would be folded to ${formatCount(folding.tokens)}${sinceWhen(folding)}.`,
    ...folding.folds.map((fold) => `  ${foldLine(fold)}`),
  ];
}

function sinceWhen({ firstOverCall }: Folding): string {
  return firstOverCall === undefined ? "" : `, for the first time at model call ${formatCount(firstOverCall)}`;
}

function foldLine({ kind, messages, blocks }: Fold): string {
  const hidden = [
    ...(messages > 0 ? [countOf(messages, "message")] : []),
    ...(blocks > 0 ? [countOf(blocks, "block")] : []),
  ];
  return `${kind.padEnd(9)} ${hidden.join(", ")}`;
}

const MAX_LISTED = 5;

/** The lines that say whether the file is whole: calls without results, and parts that could not be read. */
function renderState({ pairs, problems }: Inspection, { columns, style }: RenderOptions): Section {
  const openCalls = pairs.open.map(({ tool, toolUseId, messageId }) =>
    oneLine(`open: ${tool}, call ${toolUseId} in message ${messageId}`),
  );
  const unread = problems.map(({ where, reason }) => oneLine(`${where}: ${reason}`));
  const warnings = [...listed(openCalls, "open call"), ...listed(unread, "problem")];
  return [
    style.heading("The file"),
    `  ${pairsLine(pairs)}`,
    `  ${problems.length === 0 ? "Everything in it was read." : `${countOf(problems.length, "problem")} while reading it.`}`,
    ...warnings.map((line) => style.warning(cutToWidth(`  ${line}`, columns))),
  ];
}

function pairsLine({ calls, answered, open, resultsWithoutCall }: Pairs): string {
  const orphans = resultsWithoutCall === 0 ? "" : `, ${countOf(resultsWithoutCall, "result")} without a call`;
  if (calls === 0) return `No tool calls${orphans}.`;
  const state = open.length === 0 ? "all answered" : `${answered} answered, ${open.length} open`;
  return `${countOf(calls, "tool call")}: ${state}${orphans}.`;
}

function listed(lines: readonly string[], noun: string): readonly string[] {
  const more = lines.length - MAX_LISTED;
  return more > 0 ? [...lines.slice(0, MAX_LISTED), `and ${countOf(more, `more ${noun}`)}`] : lines;
}
