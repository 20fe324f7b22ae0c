import type { FoldKind } from "../../core/message/fold-id.ts";
import type { Message } from "../../core/message/message.ts";
import { countMessagesTokens } from "../../core/tokens/count-messages.ts";
import { formatCount } from "../terminal/numbers.ts";
import type { Strategy } from "./open-session.ts";
import type { ReplayStep } from "./replay.ts";
import type { ReplayResult } from "./replay-result.ts";
import type { DemoReport } from "./report.ts";

const BAR_WIDTH = 32;

/** One line that is redrawn at every turn: how full the window is. */
export function progressLine({ strategy, turn, turns, viewTokens, contextWindow }: ReplayStep): string {
  const bar = barOf([viewTokens, 0], contextWindow);
  const size = `${formatCount(viewTokens)} of ${formatCount(contextWindow)} tokens`;
  return `  ${strategy.padEnd(10)} turn ${String(turn).padStart(3)} / ${turns}  ${bar}  ${size}`;
}

/** One line for each turn at which something was folded; nothing for the others. */
export function stepLine({ turn, tokensBefore, viewTokens, contextWindow, folds }: ReplayStep): string | undefined {
  if (folds.length === 0) return undefined;
  const bar = barOf([viewTokens, tokensBefore - viewTokens], contextWindow);
  const sizes = `${formatCount(tokensBefore).padStart(6)} → ${formatCount(viewTokens).padStart(6)}`;
  return `  turn ${String(turn).padStart(3)}  ${bar}  ${sizes}  ${folds.join(" + ")}`;
}

/** How much of the window is sent and how much was folded away; more than the window ends in an arrow. */
function barOf([sentTokens, foldedTokens]: readonly [number, number], contextWindow: number): string {
  const cells = (tokens: number) => Math.round((BAR_WIDTH * tokens) / contextWindow);
  const bar = "█"
    .repeat(cells(sentTokens))
    .padEnd(cells(sentTokens + foldedTokens), "▒")
    .padEnd(BAR_WIDTH, "·");
  return bar.length > BAR_WIDTH ? `${bar.slice(0, BAR_WIDTH - 1)}▶` : bar;
}

/** What is said before the first turn. */
export function introduction(messages: readonly Message[], contextWindow: number): string {
  const turns = messages.filter((message) => message.role === "assistant").length;
  const size = `${turns} turns, ${messages.length} messages, ${formatCount(countMessagesTokens(messages))} tokens`;
  return [
    `A coding session of ${size} is replayed through a window of ${formatCount(contextWindow)}.`,
    "The ledger asks no model. For summary and snapshot, the condensing model is scripted: fixed rules,",
    "in this process, nothing is sent anywhere.",
    "",
    "",
  ].join("\n");
}

/** What is said before the folds of one strategy. */
export function foldsTitle(strategy: Strategy, contextWindow: number): string {
  return `  ${strategy}: █ sent, ▒ folded away, ${formatCount(contextWindow / BAR_WIDTH)} tokens each\n`;
}

type Row = readonly [name: string, value: (run: ReplayResult) => string | number, remark?: string];

/** The strategies side by side. */
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
    ["other folds", (run) => otherFolds(run.folds)],
    ["sent in all turns", (run) => run.sentTokens, `tokens; ${formatCount(runs[0]?.unfoldedTokens ?? 0)} unfolded`],
    ["messages hidden", (run) => run.messagesHidden, `of ${formatCount(session.messages)}`],
    ["facts still visible", (run) => run.factsVisible, `of ${formatCount(facts)}; the rest is hidden`],
    ["bytes lost", (run) => run.bytesLost],
    ["SHA-256, folds removed", (run) => run.hashAfter.slice(0, 8), `session: ${hashBefore.slice(0, 8)}`],
  ];
  const title = tableLine(["", ...runs.map((run) => run.strategy)]);
  const lines = rows.map(([name, value, remark]) => tableLine([name, ...runs.map(value)], remark));
  return `\n${[title, ...lines].join("\n")}\n\n`;
}

const NAME_WIDTH = 22;
const VALUE_WIDTH = 12;

function tableLine([name, ...values]: readonly (string | number)[], remark = ""): string {
  const cells = values.map((value) => (typeof value === "number" ? formatCount(value) : value).padStart(VALUE_WIDTH));
  return `  ${String(name).padEnd(NAME_WIDTH)}${cells.join("")}  ${remark}`.trimEnd();
}

function otherFolds({ condense: _, ...others }: ReplayResult["folds"]): number {
  const counts: Partial<Record<FoldKind, number>> = others;
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
