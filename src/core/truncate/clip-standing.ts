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

/** What binds may fill so much of what is allowed. More than that is a mistake, or an attack: then it is clipped. */
export const STANDING_SHARE = 0.5;
/** Where all that binds takes more than this, lists and reminders are clipped: of what stands they are needed least. */
const REMINDER_SHARE = 0.2;

export interface CapStandingOptions {
  /** What the view may take. */
  readonly allowedTokens: number;
  readonly countTokens: CountTokens;
  readonly taskId: string;
}

/**
 * Clips what binds to its share of the view, in the order of `clipStanding` but for what the person asked last, and lists and reminders to
 * a smaller one; the same array where it takes no more.
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

/** Whether what binds takes no more than its share of the view. */
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
  /** Which tool results have a file that their stand-ins name. @default none */
  readonly offload?: OffloadRule | undefined;
}

/** What the current turn's results rank: after what was loaded, before what the project demands. */
const CURRENT_RANK = CLIP_ORDER.skill + 0.5;
const ALL_BUT_REMINDERS: readonly number[] = [
  CURRENT_RANK,
  ...Object.values(CLIP_ORDER).filter((rank) => rank !== CLIP_ORDER.reminder),
];

/** Units that hold something that binds; the current one has to stay as it is. */
function boundUnits(view: MeasuredView): readonly MeasuredUnit[] {
  return view.units.filter(({ standing }) => standing === "binding");
}

/** What units take when all that does not bind in them is trimmed. */
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

/** Hides of units that hold something that binds whatever does not. */
export function trimBound(folded: Folded, { countTokens, taskId, offload }: ClipStandingOptions): Folded {
  const { messages } = folded;
  const foldId = newFoldId("clear", taskId, messages);
  const kept = keptMessages(boundUnits(measureView(messages, countTokens)));
  const trims = trimUnits(kept, { standing: findStanding(messages), foldId, countTokens, offload });
  if (trims.length === 0) return folded;
  return refolded(folded, foldBlocks(messages, { foldId, kind: "clear" }, trims), { foldId, countTokens });
}

/**
 * Clips what binds where even that does not fit, in a stated order: lists and reminders, plans, commands, skills, the newest results,
 * messages of the system, the project's instructions, declarations, modes, rules, the task, and last what the person asked.
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
      const { content } = message;
      const count = typeof content === "string" ? 1 : content.length;
      return Array.from({ length: count }, (_, block) => rankAt(logIndex, block)).includes(rank);
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

function ranksIn(folded: Folded, countTokens: CountTokens): readonly number[] {
  const view = measureView(folded.messages, countTokens);
  const rankAt = ranker(folded, view);
  const ranks = new Set<number>();
  for (const { message, logIndex } of view.units.flatMap((unit) => unit.entries)) {
    const count = typeof message.content === "string" ? 1 : message.content.length;
    for (let block = 0; block < count; block++) {
      const rank = rankAt(logIndex, block);
      if (rank !== undefined) ranks.add(rank);
    }
  }
  return [...ranks].toSorted((one, other) => one - other);
}

/** How dear a block of the view is; undefined where it neither binds nor is of the current turn. */
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
