import { checkMessages } from "../../message/check-messages.ts";
import { isStandIn, tellsWhatCameBefore } from "../../message/effective-view.ts";
import { isKnownBlock, type Message } from "../../message/message.ts";
import { contentBlocks, detectPairs, hasOpenToolUse, isToolResult, isToolUse } from "../../message/tool-pairs.ts";
import { detectUnits, type Unit } from "../../message/units.ts";
import { serialize } from "../../tokens/serialize.ts";
import { SNAPSHOT_ACKNOWLEDGEMENT } from "./snapshot-prompt.ts";
import { findSplitPoint, type SplitTurn } from "./split-point.ts";

/**
 * The index of the first message of a view to keep when its oldest `fraction` goes into a snapshot; `view.length` when all
 * of it may go, 0 when nothing can.
 *
 * Splits before a user's message if it can, by the rule of `findSplitPoint`, and else inside the turn, between tool
 * calls. Tool pairs stay whole on both sides, and a call that is still running is always kept, with its turn.
 */
export function chooseSnapshotSplit(view: readonly Message[], fraction: number): number {
  checkMessages(view);
  const units = detectUnits(view);
  const boundaries = findBoundaries(view, units);
  const isFinished = hasFinished(view, units);
  const turns = view.map((message, index) => ({
    characters: serialize(message.content).length,
    isSplit: boundaries.has(index) && message.role === "user",
    isClosed: isFinished,
  }));
  const betweenTurns = findSplitPoint(turns, fraction);
  const goesFarEnough = shareBefore(turns, betweenTurns) >= fraction * LEAST_SHARE;
  const keepsEnough = (split: number) => 1 - shareBefore(turns, split) >= (1 - fraction) * LEAST_SHARE;
  if (goesFarEnough && (betweenTurns === view.length || keepsEnough(betweenTurns))) return betweenTurns;
  const steps = turns.map((turn, index) => ({ ...turn, isSplit: boundaries.has(index), isClosed: false }));
  const betweenSteps = findSplitPoint(steps, fraction);
  if (goesFarEnough) return betweenSteps > 0 && keepsEnough(betweenSteps) ? betweenSteps : betweenTurns;
  return Math.max(betweenTurns, betweenSteps);
}

/**
 * A split between turns must reach at least this much of the share that should be hidden, and leave as much of the share that should stay. Otherwise
 * the split is made inside a turn: a long tool loop may follow an early prompt, or end in a short one.
 */
const LEAST_SHARE = 0.5;

function shareBefore(turns: readonly SplitTurn[], split: number): number {
  const charactersOf = (some: readonly SplitTurn[]) => some.reduce((sum, turn) => sum + turn.characters, 0);
  return charactersOf(turns.slice(0, split)) / Math.max(1, charactersOf(turns));
}

/** The indexes at which the kept part may begin: no tool pair is split there, and something was said before that no snapshot covers. */
function findBoundaries(view: readonly Message[], units: readonly Unit[]): ReadonlySet<number> {
  const firstSaid = view.findIndex(isSaid);
  const starts = units.map((unit) => unit.start);
  return new Set(starts.filter((start) => firstSaid >= 0 && start > firstSaid && opensTurn(view, start)));
}

function opensTurn(view: readonly Message[], index: number): boolean {
  const [before, message] = [view[index - 1], view[index]];
  // Neighbouring messages of the assistant are one turn: its reasoning belongs to the calls that follow.
  if (message === undefined || (message.role === "assistant" && before?.role === "assistant")) return false;
  // A second result for one call is in no pair, but must not begin the kept part either.
  return !contentBlocks(message.content).some(isToolResult);
}

/** True when the assistant spoke last and no call is running. */
function hasFinished(view: readonly Message[], units: readonly Unit[]): boolean {
  const last = view.at(-1);
  if (last?.role !== "assistant" || contentBlocks(last.content).some(isToolUse) || !view.some(isSaid)) return false;
  const pairs = detectPairs(view);
  return !view.slice(units.at(-1)?.start).some((message) => hasOpenToolUse(message, pairs));
}

/** Whether a message was said, and not put into the view by an earlier fold: a snapshot of only a snapshot would gain nothing. */
function isSaid(message: Message): boolean {
  return !isStandIn(message) && !tellsWhatCameBefore(message) && !isAcknowledgement(message);
}

function isAcknowledgement({ role, content }: Message): boolean {
  if (role !== "assistant") return false;
  if (typeof content === "string") return content === SNAPSHOT_ACKNOWLEDGEMENT;
  const [block, ...others] = content.filter(({ type }) => type !== "reasoning");
  if (block === undefined || others.length > 0) return false;
  return isKnownBlock(block) && block.type === "text" && block.text === SNAPSHOT_ACKNOWLEDGEMENT;
}
