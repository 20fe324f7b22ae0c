import { assert, assertNumber, assertObject } from "../../assert.ts";
import { foldBlocks } from "../../message/block-folds.ts";
import { checkMessages } from "../../message/check-messages.ts";
import { renderMessage } from "../../message/effective-view.ts";
import type { CountTokens, Message } from "../../message/message.ts";
import { contentBlocks, isToolResult } from "../../message/tool-pairs.ts";
import { detectUnits, type Unit } from "../../message/units.ts";
import { findStanding, isStanding } from "../../standing/find-standing.ts";
import { checkedCounter } from "../../tokens/checked-counter.ts";
import { countMessagesTokens, countMessageTokens } from "../../tokens/count-messages.ts";
import { applyCondensation, type CondensationPlan, type CondensationRefusal } from "../condensation-plan.ts";
import { hideableBefore, planHiding } from "../plan-hiding.ts";
import { summaryNotice } from "../summary-text.ts";
import { entryAfter, type ViewEntry, viewEntries } from "../view-entries.ts";
import { judgeAhead } from "./judge-log.ts";
import type { LedgerWeights } from "./ledger-weights.ts";
import { quotable } from "./quotable.ts";
import { type Ledger, writeLedger } from "./write-ledger.ts";

export interface PlanLedgerOptions {
  /** The most tokens that the view may have with the ledger in place. */
  readonly budgetTokens: number;
  /** The share of what standing context leaves of the budget that the newest messages take as they are. @default 0.1 */
  readonly tailShare?: number | undefined;
  /** How many of the newest messages stay, as far as they leave room for the next turn; the last turn always stays. @default 1 */
  readonly keepMessages?: number;
  /** @default countContentTokens */
  readonly countTokens?: CountTokens;
  /** Fold ids follow from it. @default "" */
  readonly taskId?: string;
  /**
   * The messages whose lines are judged. `log`: all. `past`: those before the model's last reply, which then stays visible with everything after it, so
   * that the log can be judged before that turn has come. @default "log"
   */
  readonly judges?: "log" | "past" | undefined;
  /** How lines are judged. @default LEDGER_WEIGHTS */
  readonly weights?: LedgerWeights | undefined;
}

/** A condensation without a model: its ledger is written already. */
export interface LedgerPlan extends CondensationPlan {
  readonly ledger: Ledger;
  /** The message that replaces what the plan hides. */
  readonly standIn: Message;
}

export const DEFAULT_TAIL_SHARE = 0.1;
/** The share of the budget that the newest messages may fill: with more, the next turn would not fit, and every turn would need a new fold. */
const MOST_KEPT_SHARE = 0.6;
/** The share of the budget that is reserved for messages that bind, at most: they are counted whole, and what does not bind in them is trimmed later. */
const MOST_BOUND_SHARE = 0.5;
/** The share of the budget that a ledger gets even where what must stay fills the budget: other rungs then make the view smaller. */
const LEAST_LEDGER_SHARE = 0.2;

/**
 * Decides what a ledger will stand for, and writes it: all of the view but its newest units, messages marked important and what binds. The ledger
 * takes what these leave of the budget, but at least a fifth, and quotes the whole log, including what earlier folds hide.
 */
export function planLedger(messages: readonly Message[], options: PlanLedgerOptions): LedgerPlan | CondensationRefusal {
  const plan = planLedgerFold(messages, options);
  if (plan.type === "refused") return plan;
  const written = writeStandIn(plan, quotable(messages), {
    budgetTokens: plan.roomTokens,
    countTokens: checkedCounter(options.countTokens),
    visible: plan.visible,
    past: plan.pastMessages === undefined ? undefined : quotable([...messages].slice(0, plan.pastMessages)),
    weights: options.weights,
  });
  if (written === undefined) return { type: "refused", error: "There is no room for a single line of a ledger." };
  const { visible: _visible, roomTokens: _room, pastMessages: _past, ...fold } = plan;
  return { ...fold, ...written };
}

/** What a ledger will stand for, before a line of it is written. */
export interface LedgerFold extends CondensationPlan {
  /** The messages that the view shows beside it. */
  readonly visible: readonly Message[];
  /** The most tokens that its message may have. */
  readonly roomTokens: number;
  /** How many of the log's first messages are judged; undefined where all are. */
  readonly pastMessages: number | undefined;
}

/** Decides what a ledger will stand for, and how much room it has. */
export function planLedgerFold(
  messages: readonly Message[],
  options: PlanLedgerOptions,
): LedgerFold | CondensationRefusal {
  checkMessages(messages);
  assertObject("options", options);
  const { budgetTokens, tailShare = DEFAULT_TAIL_SHARE, keepMessages = 1, taskId = "", judges = "log" } = options;
  assertNumber("budgetTokens", budgetTokens);
  assert(tailShare >= 0 && tailShare <= 1, "tailShare", tailShare, "between 0 and 1");
  assertNumber("keepMessages", keepMessages, 0);
  const countTokens = checkedCounter(options.countTokens);
  const view = viewEntries(messages);
  const standing = findStanding(messages);
  const bound = view.filter(({ logIndex }) => isStanding(standing, logIndex)).map(({ message }) => message);
  const free = budgetTokens - Math.min(countMessagesTokens(bound, countTokens), MOST_BOUND_SHARE * budgetTokens);
  const [tailTokens, mostTokens] = [tailShare * free, MOST_KEPT_SHARE * budgetTokens];
  const split = tailStart(view, { tailTokens, keepMessages, mostTokens, countTokens, keepsReply: judges === "past" });
  const { hidden, standing: kept } = hideableBefore(view, split, { standing });
  if (hidden.length === 0)
    return { type: "refused", error: "There is nothing to condense before the newest messages." };
  const next = entryAfter(view, hidden);
  const plan = planHiding(messages, hidden, { taskId, countTokens, goal: [], carried: [], kept, standing, next });
  const hiddenEntries = new Set(hidden);
  const trimmed = foldBlocks(messages, { foldId: plan.condenseId, kind: "clear" }, plan.trims);
  const visible = view.flatMap((entry) =>
    hiddenEntries.has(entry) ? [] : renderMessage(trimmed[entry.logIndex] ?? entry.original),
  );
  const room = Math.max(budgetTokens - countMessagesTokens(visible, countTokens), LEAST_LEDGER_SHARE * budgetTokens);
  return {
    ...plan,
    visible,
    roomTokens: room,
    pastMessages: judges === "past" ? pastMessages(messages, view) : undefined,
  };
}

/** How many messages came before the newest turn; undefined where the view does not show that turn whole. */
function pastMessages(messages: readonly Message[], view: readonly ViewEntry[]): number | undefined {
  const start = newestTurnStart(messages);
  const shown = view.filter(({ logIndex, message, original }) => logIndex >= start && message === original);
  return shown.length === messages.length - start ? start : undefined;
}

/** The index at which the model's last reply begins. */
function newestTurnStart(messages: readonly Message[]): number {
  let start = messages.findLastIndex(({ role }) => role === "assistant");
  while (messages[start - 1]?.role === "assistant") start -= 1;
  return Math.max(0, start);
}

interface WriteStandInOptions {
  readonly budgetTokens: number;
  readonly countTokens: CountTokens;
  readonly visible: readonly Message[];
  readonly past: readonly Message[] | undefined;
  readonly weights: LedgerWeights | undefined;
}

/** Writes the ledger so that its message fits the budget; undefined where there is no room for a line. */
function writeStandIn(
  plan: CondensationPlan,
  messages: readonly Message[],
  { budgetTokens, countTokens, visible, past, weights }: WriteStandInOptions,
): Pick<LedgerPlan, "ledger" | "standIn"> | undefined {
  // The message that was measured is used itself: counts are cached by message, and the ledger may be long.
  const standIns = new Map<string, Message>();
  const measure = (text: string) => {
    const standIn = ledgerMessage(plan, text);
    standIns.set(text, standIn);
    return countMessageTokens(standIn, countTokens);
  };
  const ledger = writeLedger(messages, {
    budgetTokens,
    countTokens: measure,
    visible,
    past,
    tellsState: true,
    weights,
  });
  const standIn = standIns.get(ledger.text);
  return standIn === undefined ? undefined : { ledger, standIn };
}

/**
 * Judges a log in advance, so that planning a ledger once the next turn has come takes a fraction of the time, with the same result. The judgement is
 * cached until the returned function is called.
 */
export function judgeLedgerAhead(messages: readonly Message[]): () => void {
  return judgeAhead(quotable(messages));
}

/** Puts a planned ledger into its log. */
export function applyLedger(messages: readonly Message[], plan: LedgerPlan): readonly Message[] {
  return applyCondensation(messages, plan, [plan.standIn]);
}

function ledgerMessage({ condenseId, total, ts }: CondensationPlan, text: string): Message {
  return {
    id: condenseId,
    role: "user",
    content: [{ type: "text", text }, summaryNotice(condenseId, total)],
    ...(ts === undefined ? {} : { ts }),
    isSummary: true,
    condenseId,
  };
}

interface TailOptions {
  readonly tailTokens: number;
  /** This many of the newest messages stay even beyond `tailTokens`, as long as the tail has no more than `mostTokens`. */
  readonly keepMessages: number;
  readonly mostTokens: number;
  readonly countTokens: CountTokens;
  /** Whether the model's last reply stays too. */
  readonly keepsReply: boolean;
}

/** The index in the view at which the kept tail begins: the newest whole units that fit, and always the current turn. */
function tailStart(view: readonly ViewEntry[], options: TailOptions): number {
  const { tailTokens, keepMessages, mostTokens, countTokens, keepsReply } = options;
  const units = detectUnits(view.map(({ message }) => message));
  const reply = keepsReply ? newestTurnStart(view.map(({ message }) => message)) : view.length;
  const current = Math.min(startOfCurrentTurn(view, units), reply);
  let start = view.length;
  let taken = 0;
  for (const unit of units.toReversed()) {
    for (const { message } of view.slice(unit.start, unit.end)) taken += countMessageTokens(message, countTokens);
    const isWanted = unit.end > view.length - keepMessages && taken <= mostTokens;
    if (unit.start < current && taken > tailTokens && !isWanted) break;
    start = unit.start;
  }
  while (start > 0 && !opensTurn(view, start)) start = unitStartBefore(units, start);
  return start;
}

/** The index at which the part begins that the model has not answered: the last unit and, where a person spoke after tool results, these results too. */
function startOfCurrentTurn(view: readonly ViewEntry[], units: readonly Unit[]): number {
  const spoken = view.findLastIndex(({ message }) => message.role === "assistant");
  const called = units.find(({ start, end }) => start <= spoken && spoken < end - 1);
  return called?.start ?? units.at(-1)?.start ?? 0;
}

function unitStartBefore(units: readonly Unit[], start: number): number {
  return units.findLast((unit) => unit.start < start)?.start ?? 0;
}

/** Whether the tail may begin at this message: neither inside a turn of the assistant nor with a result without its call. */
function opensTurn(view: readonly ViewEntry[], index: number): boolean {
  const [before, message] = [view[index - 1]?.message, view[index]?.message];
  if (message === undefined) return true;
  if (message.role === "assistant" && before?.role === "assistant") return false;
  return !contentBlocks(message.content).some(isToolResult);
}
