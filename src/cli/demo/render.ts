import type { Message } from "../../core/message/message.ts";
import { countMessagesTokens } from "../../core/tokens/count-messages.ts";
import { cutToWidth, displayWidth } from "../terminal/display-width.ts";
import { formatCount } from "../terminal/numbers.ts";
import { oneLine } from "../terminal/safe-text.ts";
import { renderTable } from "../terminal/table.ts";
import type { ReplayOptions, ReplayResult, ReplayStep } from "./replay.ts";
import type { DemoReport, RecalledFact } from "./report.ts";

const BAR_WIDTH = 32;
const MAX_WIDTH = 100;

/** The line that shows how full the window is, redrawn at every turn. */
export function progressLine({ strategy, turn, turns, viewTokens, contextWindow }: ReplayStep): string {
  const bar = barOf([viewTokens, 0], contextWindow);
  const size = `${formatCount(viewTokens)} of ${formatCount(contextWindow)} tokens`;
  return `  ${strategy.padEnd(10)} turn ${String(turn).padStart(3)} / ${turns}  ${bar}  ${size}`;
}

/** The line for a turn that folded something; undefined for any other turn. */
export function stepLine({ turn, tokensBefore, viewTokens, contextWindow, folds }: ReplayStep): string | undefined {
  if (folds.length === 0) return undefined;
  const bar = barOf([viewTokens, tokensBefore - viewTokens], contextWindow);
  const sizes = `${formatCount(tokensBefore).padStart(6)} → ${formatCount(viewTokens).padStart(6)}`;
  return `  turn ${String(turn).padStart(3)}  ${bar}  ${sizes}  ${folds.join(" + ")}`;
}

/** A bar of the tokens that are sent and those that were folded; it ends in an arrow if they are more than the window. */
function barOf([sentTokens, foldedTokens]: readonly [number, number], contextWindow: number): string {
  const cells = (tokens: number) => Math.round((BAR_WIDTH * tokens) / contextWindow);
  const bar = "█"
    .repeat(cells(sentTokens))
    .padEnd(cells(sentTokens + foldedTokens), "▒")
    .padEnd(BAR_WIDTH, "·");
  return bar.length > BAR_WIDTH ? `${bar.slice(0, BAR_WIDTH - 1)}▶` : bar;
}

/** The text before the first turn, with the heading of the strategy whose folds are shown. */
export function introduction(messages: readonly Message[], { strategy, contextWindow }: ReplayOptions): string {
  const turns = messages.filter((message) => message.role === "assistant").length;
  const size = `${turns} turns, ${messages.length} messages, ${formatCount(countMessagesTokens(messages))} tokens`;
  return `A coding session of ${size} is replayed through a window of ${formatCount(contextWindow)}.
The ledger asks no model. For summary and snapshot, the condensing model is scripted: fixed rules,
in this process, nothing is sent anywhere.

  ${strategy}: █ sent, ▒ folded away, ${formatCount(contextWindow / BAR_WIDTH)} tokens each\n`;
}

type Row = readonly [name: string, value: (run: ReplayResult) => string | number, remark?: string];

/** The table that compares the strategies. */
export function resultTable({ session, facts, allowedTokens, hashBefore, runs }: DemoReport): string {
  const rows: readonly Row[] = [
    ["largest view", (run) => run.peakViewTokens, `tokens; allowed: ${formatCount(allowedTokens)}`],
    ["overflows", (run) => run.overflows],
    ["invalid views", (run) => run.invalidViews],
    ["condensations", (run) => run.condensations],
    ["  refused", (run) => run.refusedCondensations],
    ["  model calls", (run) => run.model.calls],
    ["  read by the model", (run) => run.model.readTokens, "tokens"],
    ["  written by the model", (run) => run.model.writtenTokens, "tokens"],
    ["other folds", (run) => Object.values(run.folds).reduce((sum, count) => sum + count, -run.condensations)],
    ["sent in all turns", (run) => run.sentTokens, `tokens; ${formatCount(runs[0]?.unfoldedTokens ?? 0)} unfolded`],
    ["messages hidden", (run) => run.messagesHidden, `of ${formatCount(session.messages)}`],
    ["facts still visible", (run) => run.factsVisible, `of ${formatCount(facts)}; the rest is hidden`],
    ["bytes lost", (run) => run.bytesLost],
    ["SHA-256, folds removed", (run) => run.hashAfter.slice(0, 8), `session: ${hashBefore.slice(0, 8)}`],
  ];
  const values = runs.map((run) => ({ title: run.strategy, align: "right" }) as const);
  const columns = [{ title: "", align: "left" }, ...values, { title: "", align: "left" }] as const;
  const cell = (value: string | number) => (typeof value === "number" ? formatCount(value) : value);
  const cells = rows.map(([name, value, remark = ""]) => [name, ...runs.map((run) => cell(value(run))), remark]);
  return `\n${renderTable(columns, cells, MAX_WIDTH).join("\n")}\n\n`;
}

/** The text at the end: a hidden fact, and the excerpt that a recall found. */
export function recallText({ recall, hiddenFacts: { total, found } }: DemoReport, tookMs: number): string {
  if (recall === undefined) return "  recall: every fact is still visible, there is nothing to ask for\n\n";
  const effort = `${formatCount(recall.tokens)} tokens in ${formatCount(tookMs)} ms, index included`;
  return `  recall, for the oldest fact that the ledger's view hides: ${effort}
    ? ${recall.question}
    ${answerLine(recall)}
  ${formatCount(found)} of ${formatCount(total)} hidden facts are found by one recall each; all can be restored\n\n`;
}

const EXCERPT_WIDTH = 84;
/** The number of characters shown before an answer that is far from the beginning of its line. */
const CHARACTERS_BEFORE = 20;

function answerLine({ answer, excerpt, messageId }: RecalledFact): string {
  if (excerpt === undefined) return `✗ no excerpt holds ${JSON.stringify(answer)}`;
  const line = oneLine(excerpt);
  const start = Math.max(0, line.indexOf(answer));
  const before = line.slice(0, start);
  const isNear = displayWidth(before) + displayWidth(answer) < EXCERPT_WIDTH;
  const shown = isNear ? line : `…${[...before].slice(-CHARACTERS_BEFORE).join("")}${line.slice(start)}`;
  return `✓ ${messageId} │ ${cutToWidth(shown, EXCERPT_WIDTH)}`;
}
