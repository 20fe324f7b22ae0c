import { foldBlocks } from "../message/block-folds.ts";
import { newFoldId } from "../message/fold-id.ts";
import type { CountTokens, Message } from "../message/message.ts";
import { clipRank, findStanding } from "../standing/find-standing.ts";
import { CLIP_ORDER } from "../standing/standing-part.ts";
import { clipBlocks } from "./clip/clip-blocks.ts";
import type { Folded } from "./fit-options.ts";
import { type MeasuredUnit, type MeasuredView, measureView, sumTokens } from "./measure-view.ts";
import type { OffloadRule } from "./offload.ts";
import { type KeptMessage, trimUnits } from "./trim-units.ts";

/** The share of the allowed tokens that binding parts may fill. More than that is a mistake, or an attack, and is clipped. */
export const STANDING_SHARE = 0.5;
/** Where binding parts take more than this share, lists and reminders are clipped: they are needed least of them. */
const REMINDER_SHARE = 0.2;

export interface CapStandingOptions {
  /** What the view may take. */
  readonly allowedTokens: number;
  readonly countTokens: CountTokens;
  readonly taskId: string;
}

/**
 * Clips binding parts to their share of the view, in the order of `clipStanding`, and lists and reminders to a smaller share. The current turn
 * and the person's newest request stay as they are. Returns the same array where the shares are kept.
 */
export function capStanding(
  messages: readonly Message[],
  { allowedTokens, countTokens, taskId }: CapStandingOptions,
): Pick<Folded, "messages" | "foldIds"> {
  const view = measureView(messages, countTokens);
  const bound = leastTokens(boundUnits(view), { messages }, countTokens);
  const start: Folded = { messages, tokens: view.tokens, foldIds: [], messagesHidden: 0 };
  if (bound <= REMINDER_SHARE * allowedTokens) return start;
  const options = { countTokens, taskId };
  const trimmed = trimBound(start, { ...options, budgetTokens: 0 });
  const clipped = clipStanding(trimmed, {
    ...options,
    budgetTokens: trimmed.tokens - (bound - REMINDER_SHARE * allowedTokens),
    keeps: ALL_BUT_REMINDERS,
  });
  return clipStanding(clipped, {
    ...options,
    budgetTokens: trimmed.tokens - (bound - STANDING_SHARE * allowedTokens),
    keeps: [CURRENT_RANK, CLIP_ORDER.request],
  });
}

/** Whether binding parts take no more than their share of the view. */
export function isWithinShare(messages: readonly Message[], options: Omit<CapStandingOptions, "taskId">): boolean {
  const view = measureView(messages, options.countTokens);
  const tokens = leastTokens(boundUnits(view), { messages }, options.countTokens);
  return tokens <= STANDING_SHARE * options.allowedTokens;
}

export interface ClipStandingOptions {
  /** What the view may take. */
  readonly budgetTokens: number;
  readonly countTokens: CountTokens;
  readonly taskId: string;
  /** Ranks that stay as they are. @default none */
  readonly keeps?: readonly number[];
  /** Which tool results are moved to files that their stand-ins name. @default none */
  readonly offload?: OffloadRule | undefined;
}

/** The rank of the current turn's blocks: clipped after loaded skills, before the project's instructions. */
const CURRENT_RANK = CLIP_ORDER.skill + 0.5;
const ALL_BUT_REMINDERS: readonly number[] = [
  CURRENT_RANK,
  ...Object.values(CLIP_ORDER).filter((rank) => rank !== CLIP_ORDER.reminder),
];

/** Units that hold something that binds, without the current one, which has to stay as it is. */
function boundUnits(view: MeasuredView): readonly MeasuredUnit[] {
  return view.units.filter(({ standing }) => standing === "binding");
}

/** The tokens of units once everything that does not bind in them is trimmed. */
export function leastTokens(
  units: readonly MeasuredUnit[],
  { messages }: Pick<Folded, "messages">,
  countTokens: CountTokens,
): number {
  const trims = trimUnits(keptMessages(units), { standing: findStanding(messages), foldId: "", countTokens });
  return sumTokens(units) - trims.reduce((sum, { gainTokens }) => sum + gainTokens, 0);
}

function keptMessages(units: readonly MeasuredUnit[]): readonly KeptMessage[] {
  return units.flatMap(({ entries }) => entries.map(({ logIndex, message }) => ({ logIndex, original: message })));
}

/** Hides the parts that do not bind in units that hold something that does. Returns `folded` itself where there is nothing to hide. */
export function trimBound(folded: Folded, { countTokens, taskId, offload }: ClipStandingOptions): Folded {
  const { messages } = folded;
  const foldId = newFoldId("clear", taskId, messages);
  const kept = keptMessages(boundUnits(measureView(messages, countTokens)));
  const trims = trimUnits(kept, { standing: findStanding(messages), foldId, countTokens, offload });
  if (trims.length === 0) return folded;
  return refolded(folded, foldBlocks(messages, { foldId, kind: "clear" }, trims), { foldId, countTokens });
}

/**
 * Clips binding parts until the view is within its budget, kind by kind: lists and reminders, plans, commands, skills, the newest results,
 * messages of the system, the project's instructions, declarations, modes, rules, the task, and last the person's newest request.
 */
export function clipStanding(start: Folded, options: ClipStandingOptions): Folded {
  const { budgetTokens, countTokens, taskId, keeps = [] } = options;
  let folded = start;
  for (const rank of ranksIn(start, countTokens)) {
    if (folded.tokens <= budgetTokens) break;
    if (keeps.includes(rank)) continue;
    const { messages } = folded;
    const view = measureView(messages, countTokens);
    const rankAt = ranker(folded, view);
    const entries = view.units.flatMap((unit) => unit.entries);
    const scope = entries.filter(({ message, logIndex }) => {
      return ranksOf(message, (blockIndex) => rankAt(logIndex, blockIndex)).includes(rank);
    });
    const { messages: clipped, foldId } = clipBlocks(messages, {
      messageIndexes: scope.map(({ logIndex }) => logIndex),
      isClippable: (messageIndex, blockIndex) => rankAt(messageIndex, blockIndex) === rank,
      budgetTokens: sumTokens(scope) - (folded.tokens - budgetTokens),
      countTokens,
      taskId,
    });
    if (foldId !== undefined) folded = refolded(folded, clipped, { foldId, countTokens });
  }
  return folded;
}

/** The ranks that blocks of the view have, those to be clipped first in front. */
function ranksIn(folded: Folded, countTokens: CountTokens): readonly number[] {
  const view = measureView(folded.messages, countTokens);
  const rankAt = ranker(folded, view);
  const entries = view.units.flatMap((unit) => unit.entries);
  const ranks = entries.flatMap(({ message, logIndex }) =>
    ranksOf(message, (blockIndex) => rankAt(logIndex, blockIndex)).filter((rank) => rank !== undefined),
  );
  return [...new Set(ranks)].toSorted((one, other) => one - other);
}

function ranksOf(
  { content }: Message,
  rankAt: (blockIndex: number) => number | undefined,
): readonly (number | undefined)[] {
  return typeof content === "string" ? [rankAt(0)] : content.map((_, blockIndex) => rankAt(blockIndex));
}

/** Ranks blocks of the view by how late they are clipped; undefined for one that neither binds nor is in the current turn. */
function ranker(
  { messages }: Folded,
  { units }: MeasuredView,
): (logIndex: number, blockIndex: number) => number | undefined {
  const standing = findStanding(messages);
  const current = new Set(
    units.filter((unit) => unit.standing === "current").flatMap((unit) => unit.entries.map((entry) => entry.logIndex)),
  );
  return (logIndex, blockIndex) =>
    clipRank(standing, logIndex, blockIndex) ?? (current.has(logIndex) ? CURRENT_RANK : undefined);
}

function refolded(
  folded: Folded,
  messages: Folded["messages"],
  { foldId, countTokens }: { readonly foldId: string; readonly countTokens: CountTokens },
): Folded {
  const { tokens } = measureView(messages, countTokens);
  return { ...folded, messages, tokens, foldIds: [...folded.foldIds, foldId] };
}
