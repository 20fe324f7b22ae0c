import { cutToWidth } from "../terminal/display-width.ts";
import { countOf } from "../terminal/numbers.ts";
import { oneLine } from "../terminal/safe-text.ts";
import type { Inspection, Pairs } from "./inspection.ts";
import type { RenderOptions, Section } from "./section.ts";

const MAX_LISTED = 5;

/** Whether the file is whole: pairs of calls and results, and what could not be read. */
export function renderState({ pairs, problems }: Inspection, { columns, style }: RenderOptions): Section {
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
