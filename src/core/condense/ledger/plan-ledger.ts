import { assert, assertNumber, assertObject } from "../../assert.ts";
import { foldBlocks } from "../../message/block-folds.ts";
import { checkMessages } from "../../message/check-messages.ts";
import { isStandIn, renderMessage, standInsOf, summaryId } from "../../message/effective-view.ts";
import { logSegments, segmentFacts } from "../../message/log-segments.ts";
import type { CountTokens, Message } from "../../message/message.ts";
import { contentBlocks, isToolResult } from "../../message/tool-pairs.ts";
import { detectUnits, type Unit } from "../../message/units.ts";
import { findStanding, isStanding } from "../../standing/find-standing.ts";
import { checkedCounter } from "../../tokens/checked-counter.ts";
import { countMessagesTokens, countMessageTokens } from "../../tokens/count-messages.ts";
import { applyCondensation, type CondensationPlan, type CondensationRefusal } from "../condensation-plan.ts";
import { hybridSummaryOf, summaryOnly } from "../hybrid/hybrid-text.ts";
import { hideableBefore, planHiding } from "../plan-hiding.ts";
import { summaryNotice } from "../summary-text.ts";
import { entryAfter, type ViewEntry, viewEntries } from "../view-entries.ts";
import { judgeAhead } from "./judge-log.ts";
import { isLedger } from "./ledger-text.ts";
import type { LedgerWeights } from "./ledger-weights.ts";
import { type Ledger, writeLedger } from "./write-ledger.ts";

export interface PlanLedgerOptions {
  /** What the view may take when it is done. */
  readonly budgetTokens: number;
  /** The share of what standing context leaves of the budget that the newest messages take as they are. @default 0.1 */
  readonly tailShare?: number | undefined;
  /** Newest messages that stay, as far as they leave room for what comes next: the last turn in any case. @default 1 */
  readonly keepMessages?: number;
  /** @default countContentTokens */
  readonly countTokens?: CountTokens;
  /** Fold ids follow from it. @default "" */
  readonly taskId?: string;
  /**
   * What is judged by what the agent will need. `past`: what came before its last reply, which then stays visible with all after it; so a ledger can
   * be judged before that turn has come. @default "log"
   */
  readonly judges?: "log" | "past" | undefined;
  /** How lines are judged. @default LEDGER_WEIGHTS */
  readonly weights?: LedgerWeights | undefined;
}

/** A condensation that needs no model: its text is there already. */
export interface LedgerPlan extends CondensationPlan {
  readonly ledger: Ledger;
  /** The message that stands for what the plan hides. */
  readonly standIn: Message;
}

export const DEFAULT_TAIL_SHARE = 0.1;
/** Where the newest messages fill more of the budget than this, the next turn would not fit, and each one would have to be folded anew. */
const MOST_KEPT_SHARE = 0.6;
/** What binds is counted with all that stands beside it, which is trimmed later: more than this it will not take. */
const MOST_BOUND_SHARE = 0.5;
/** What must stay may fill the budget alone; that is for other rungs to mend, and a ledger is needed all the same. */
const LEAST_LEDGER_SHARE = 0.2;

/**
 * Decides what a ledger will stand for, and writes it: all of the view but its newest units and what a person marked. The ledger takes
 * what these leave of the budget, but at least a fifth, and quotes the whole log, also what earlier folds hide.
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
  /** What the view shows beside it. */
  readonly visible: readonly Message[];
  /** What its message may take. */
  readonly roomTokens: number;
  /** How many messages of the log are judged; undefined where all are. */
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
  const gone = new Set(hidden);
  const trimmed = foldBlocks(messages, { foldId: plan.condenseId, kind: "clear" }, plan.trims);
  const visible = view.flatMap((entry) =>
    gone.has(entry) ? [] : renderMessage(trimmed[entry.logIndex] ?? entry.original),
  );
  const room = Math.max(budgetTokens - countMessagesTokens(visible, countTokens), LEAST_LEDGER_SHARE * budgetTokens);
  return {
    ...plan,
    visible,
    roomTokens: room,
    pastMessages: judges === "past" ? pastMessages(messages, view) : undefined,
  };
}

/** How many messages came before the newest turn; undefined where the view does not show all of that. */
function pastMessages(messages: readonly Message[], view: readonly ViewEntry[]): number | undefined {
  const start = newestTurnStart(messages);
  const shown = view.filter(({ logIndex, message, original }) => logIndex >= start && message === original);
  return shown.length === messages.length - start ? start : undefined;
}

/** Where the model's last reply begins. */
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

/** Writes the ledger so that its message fits the budget. */
function writeStandIn(
  plan: CondensationPlan,
  messages: readonly Message[],
  { budgetTokens, countTokens, visible, past, weights }: WriteStandInOptions,
): Pick<LedgerPlan, "ledger" | "standIn"> | undefined {
  // Counts are cached by message, and the ledger may be long: what was measured is what will stand there.
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
 * Judges a log ahead of the ledger that will be planned once the next turn has come; that is the same with it and without, but takes a fraction of the
 * time. Remembered until the function that it returns is called.
 */
export function judgeLedgerAhead(messages: readonly Message[]): () => void {
  return judgeAhead(quotable(messages));
}

/** Puts the ledger in place of what it stands for. */
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

/**
 * What was said, hidden or not, and what models summarised. A ledger only repeats lines that the log still holds, unless the log
 * was cut behind it.
 */
export function quotable(messages: readonly Message[]): readonly Message[] {
  const segments = logSegments(messages);
  const parents = new Set(segments.flatMap(parentsIn));
  const newestHybrid = segments.findLast((segment) => newestHybridIn(segment) !== undefined);
  const context = { parents, newestHybrid: newestHybrid && newestHybridIn(newestHybrid) };
  const parts = segments.map((segment) =>
    standInsOf(segment).length === 0 ? segment.messages : quotableOf(segment.messages, context),
  );
  const quoted: readonly Message[] = [];
  // Frozen, so that what follows from it is found once.
  return Object.freeze(quoted.concat(...parts));
}

const parentsIn = segmentFacts((messages) => [...new Set(messages.map(({ condenseParent }) => condenseParent))]);

const newestHybridIn = segmentFacts((messages) =>
  messages.findLast((message) => hybridSummaryOf(message) !== undefined),
);

interface QuotableContext {
  /** The ids of the summaries that hide messages. */
  readonly parents: ReadonlySet<string | undefined>;
  readonly newestHybrid: Message | undefined;
}

function quotableOf(messages: readonly Message[], { parents, newestHybrid }: QuotableContext): readonly Message[] {
  return messages.flatMap((message) => {
    if (!isStandIn(message)) return message;
    const id = summaryId(message);
    if (id === undefined) return [];
    if (!parents.has(id)) return message;
    if (isLedger(message)) return [];
    if (hybridSummaryOf(message) === undefined) return message;
    // Each one has taken over what still held of the one before.
    return message === newestHybrid ? summaryOnly(message) : [];
  });
}

interface TailOptions {
  readonly tailTokens: number;
  /** So many of the newest messages stay even where they are larger, as far as all together take no more than `mostTokens`. */
  readonly keepMessages: number;
  readonly mostTokens: number;
  readonly countTokens: CountTokens;
  /** Whether the model's last reply stays too. */
  readonly keepsReply: boolean;
}

/** The index in the view at which the kept tail begins: whole units, the newest that fit; the current turn in any case. */
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

/** What the model has not answered: the last unit and, where a person spoke after results, these too. It has seen neither. */
function startOfCurrentTurn(view: readonly ViewEntry[], units: readonly Unit[]): number {
  const spoken = view.findLastIndex(({ message }) => message.role === "assistant");
  const called = units.find(({ start, end }) => start <= spoken && spoken < end - 1);
  return called?.start ?? units.at(-1)?.start ?? 0;
}

function unitStartBefore(units: readonly Unit[], start: number): number {
  return units.findLast((unit) => unit.start < start)?.start ?? 0;
}

/** Neighbouring messages of the assistant are one turn, and a result without a call must not come first. */
function opensTurn(view: readonly ViewEntry[], index: number): boolean {
  const [before, message] = [view[index - 1]?.message, view[index]?.message];
  if (message === undefined) return true;
  if (message.role === "assistant" && before?.role === "assistant") return false;
  return !contentBlocks(message.content).some(isToolResult);
}
