import { assertNumber, assertObject } from "../../assert.ts";
import { foldBlocks } from "../../message/block-folds.ts";
import { checkMessages } from "../../message/check-messages.ts";
import { newFoldId } from "../../message/fold-id.ts";
import type { CountTokens, Message } from "../../message/message.ts";
import { checkedCounter } from "../../tokens/checked-counter.ts";
import { findMedia, type MediaGroup, type MediaKind } from "./find-media.ts";
import { clearLargestResults, clipLargest, type Shed, type ShedRun } from "./fold-texts.ts";
import { jsonBytes, measureViewSize, readEntries, type SizedEntry, type ViewSize } from "./view-size.ts";

const KINDS: readonly MediaKind[] = ["clear", "clip"];

/** Hides media in messages of one standing, oldest first, until the view is at the goal or no media are left. */
function foldMedia(shed: Shed, standing: SizedEntry["standing"], run: ShedRun): Shed {
  const { measure, countTokens, taskId } = run;
  const { messages } = shed;
  const entries = readEntries(messages);
  const foldIds = { clear: newFoldId("clear", taskId, messages), clip: newFoldId("clip", taskId, messages) };
  let excess = measureViewSize(entries.map(({ shown }) => shown))[measure] - run.goal;
  const chosen: MediaGroup[] = [];
  for (const entry of entries) {
    if (entry.standing !== standing || excess <= 0) continue;
    for (const group of findMedia(entry, { foldIds, countTokens })) {
      if (excess <= 0 || group[measure] <= 0) continue;
      chosen.push(group);
      excess -= group[measure];
    }
  }
  return KINDS.reduce((folded: Shed, kind): Shed => {
    const requests = chosen.filter((group) => group.kind === kind).flatMap((group) => group.requests);
    if (requests.length === 0) return folded;
    const foldId = foldIds[kind];
    return {
      messages: foldBlocks(folded.messages, { foldId, kind }, requests),
      foldIds: [...folded.foldIds, foldId],
    };
  }, shed);
}

/** The most that a provider accepts in one request besides tokens. */
export interface ViewLimits {
  /** @default no limit */
  readonly maxViewBytes?: number | undefined;
  /** @default no limit */
  readonly maxImages?: number | undefined;
}

export interface ShedOptions extends ViewLimits {
  /** Hide tool results and texts where media are not enough. @default true */
  readonly foldsText?: boolean | undefined;
  /** @default countContentTokens */
  readonly countTokens?: CountTokens;
  /** Fold ids follow from it. @default "" */
  readonly taskId?: string;
}

/** The outcome of `shedBytes`; `messages` is the same array where nothing was folded. */
export interface ShedResult extends Shed {
  /** The size of the view of `messages`: over the limits where nothing more can be folded. */
  readonly size: ViewSize;
}

/**
 * Brings the view under a provider's limits of bytes and images by folding blocks, once it is over one of them: media of
 * old messages, oldest first; then old tool results and texts, largest first; media of the newest messages; media of those
 * marked important; last, the largest of all that is left.
 *
 * What is old is folded to 70 % of the limit: a fold breaks the provider's cached prefix, and one large fold breaks it less
 * often than many small ones.
 */
export function shedBytes(messages: readonly Message[], options: ShedOptions): ShedResult {
  checkMessages(messages);
  assertLimits(options);
  const { maxViewBytes, maxImages, foldsText = true, taskId = "" } = options;
  const shared = { countTokens: checkedCounter(options.countTokens), taskId };
  let shed: Shed = { messages, foldIds: [] };
  // Images first: the notes in their place take bytes.
  if (maxImages !== undefined) shed = takeSteps(shed, MEDIA, { ...shared, measure: "images", limit: maxImages });
  if (maxViewBytes !== undefined) {
    const steps = foldsText ? MEDIA_AND_TEXTS : MEDIA;
    shed = takeSteps(shed, steps, { ...shared, measure: "bytes", limit: maxViewBytes });
  }
  return { ...shed, size: sizeOf(shed) };
}

/** Throws unless the limits, if there are any, are numbers that a view can keep. */
export function assertLimits(limits: ViewLimits): void {
  assertObject("options", limits);
  if (limits.maxViewBytes !== undefined) assertNumber("maxViewBytes", limits.maxViewBytes, 1);
  if (limits.maxImages !== undefined) assertNumber("maxImages", limits.maxImages, 0);
}

interface Step {
  /** Its goal, as a share of the limit. */
  readonly share: number;
  readonly act: (shed: Shed, run: ShedRun) => Shed;
}

const TARGET_SHARE = 0.7;

const OLD_MEDIA: Step = { share: TARGET_SHARE, act: (shed, run) => foldMedia(shed, "old", run) };
const OLD_TEXTS: Step = { share: TARGET_SHARE, act: foldOldTexts };
// Only down to the limit: the model works on the newest messages, and a person wants it to see the important ones.
const NEWEST_MEDIA: Step = { share: 1, act: (shed, run) => foldMedia(shed, "newest", run) };
const IMPORTANT_MEDIA: Step = { share: 1, act: (shed, run) => foldMedia(shed, "important", run) };
const MEDIA: readonly Step[] = [OLD_MEDIA, NEWEST_MEDIA, IMPORTANT_MEDIA];
const MEDIA_AND_TEXTS: readonly Step[] = [
  OLD_MEDIA,
  // Where the rest alone is over the limit, hiding text would not help.
  { share: TARGET_SHARE, act: (shed, run) => (areTextsEnough(shed, run) ? foldOldTexts(shed, run) : shed) },
  NEWEST_MEDIA,
  IMPORTANT_MEDIA,
  OLD_TEXTS,
  { share: 1, act: (shed, run) => clipLargest(shed, ["newest"], run) },
  { share: 1, act: (shed, run) => clipLargest(shed, ["old", "newest", "important"], run) },
];

/** Runs one step after the other until the view is within the limit. */
function takeSteps(start: Shed, steps: readonly Step[], run: Omit<ShedRun, "goal">): Shed {
  let shed = start;
  for (const { share, act } of steps) {
    if (sizeOf(shed)[run.measure] <= run.limit) break;
    shed = act(shed, { ...run, goal: share * run.limit });
  }
  return shed;
}

function foldOldTexts(shed: Shed, run: ShedRun): Shed {
  return clipLargest(clearLargestResults(shed, run), ["old"], run);
}

/** Whether the view could be under the limit without the texts of old messages. */
function areTextsEnough(shed: Shed, { limit }: ShedRun): boolean {
  const entries = readEntries(shed.messages);
  const old = entries.filter(({ standing }) => standing === "old");
  const oldBytes = old.reduce((bytes, { shown }) => bytes + jsonBytes(shown), 0);
  return sizeOf(shed).bytes - oldBytes <= limit;
}

function sizeOf({ messages }: Shed): ViewSize {
  return measureViewSize(readEntries(messages).map(({ shown }) => shown));
}
