import { hidingFolds } from "../message/block-folds.ts";
import { collectStandIns, isHidden } from "../message/effective-view.ts";
import { frozenLog, type LogSegment, logSegments } from "../message/log-segments.ts";
import { type Block, isKnownBlock, type Message } from "../message/message.ts";
import { isToolResult } from "../message/tool-pairs.ts";
import type { Steps } from "../steps.ts";
import { isApprovedPlan, watchApprovedPlan } from "./approved-plan.ts";
import { callParts } from "./call-parts.ts";
import { isUncertain } from "./person-answers.ts";
import { isPlainRule } from "./read-rules.ts";
import { readStanding } from "./read-standing.ts";
import { resultText } from "./result-text.ts";
import { createSpeechPlaces } from "./speech-places.ts";
import { CLIP_ORDER, type FoundPart, type StandingKind, type StandingPart } from "./standing-part.ts";
import {
  STANDING_CALLS,
  type StandingSegment,
  standingSegment,
  talkCounts,
  wholeStandingSegment,
} from "./standing-segment.ts";

/** The parts that bind the agent, by the indexes of their messages in the log. */
export type Standing = ReadonlyMap<number, readonly StandingPart[]>;

export const NOTHING_STANDING: Standing = new Map();

const standingByLog = new WeakMap<readonly Message[], Standing>();

/** Finds all parts that bind in a log, whether folds hide them or not. Cached for each log and each message. */
export function findStanding(messages: readonly Message[]): Standing {
  const cached = standingByLog.get(messages);
  if (cached !== undefined) return cached;
  const standing = readStandingLog(frozenLog(messages), standingSegment);
  standingByLog.set(messages, standing);
  return standing;
}

/** Reads the parts that bind in the frozen segments of a log, in steps. The results are cached: `findStanding` has little left to read then. */
export function* readStandingAhead(messages: readonly Message[]): Steps<void> {
  for (const segment of logSegments(messages)) {
    if (segment.isFrozen) standingSegment(segment);
    yield;
  }
}

/** Finds the parts that bind without a cache; `readSegment` says which messages of a segment are read. Tests pass one that reads all. */
export function readStandingLog(
  messages: readonly Message[],
  readSegment: (segment: LogSegment) => StandingSegment,
): Standing {
  const standing = new Map<number, StandingPart[]>();
  for (const { logIndex, ...part } of newestAnswers(bindingParts(placedParts(messages, readSegment)))) {
    const { text: _, effect: _1, isShown: _2, ...bare } = part;
    const parts = standing.get(logIndex);
    if (parts === undefined) standing.set(logIndex, [bare]);
    else parts.push(bare);
  }
  return standing;
}

/** The parts of `findStanding` that are the plan a person approved. */
export function findApprovedPlan(messages: readonly Message[]): Standing {
  return new Map(
    [...findStanding(messages)].flatMap(([logIndex, parts]) => {
      const approved = parts.filter(isApprovedPlan);
      return approved.length === 0 ? [] : [[logIndex, approved]];
    }),
  );
}

/** A part with the index of its message. */
interface PlacedPart extends FoundPart {
  readonly logIndex: number;
  /** Whether the view shows it whole, or clipped. */
  readonly isShown: boolean;
}

function placedParts(
  messages: readonly Message[],
  readSegment: (segment: LogSegment) => StandingSegment,
): readonly PlacedPart[] {
  const standIns = collectStandIns(messages);
  const placed: PlacedPart[] = [];
  const speech = createSpeechPlaces();
  const approved = watchApprovedPlan();
  const bindsHere = ruleFilter(messages);
  const callOf = STANDING_CALLS.of(messages);
  for (const [number, segment] of logSegments(messages).entries()) {
    const { places } = approved.isAwaited() ? wholeStandingSegment(segment) : readSegment(segment);
    for (const place of places) {
      const message = segment.messages[place];
      if (message !== undefined) read(message, { place, number, start: segment.start });
    }
  }
  for (const part of [...speech.parts(messages), ...approved.parts()]) placed.push({ ...part, isShown: false });
  return placed;

  function read(message: Message, { place, number, start }: SegmentPlace): void {
    const logIndex = start + place;
    const isVisible = !isHidden(message, standIns);
    const add = (part: FoundPart): void => {
      const fold = hidingFolds(message).findLast(({ blockIndex }) => blockIndex === part.blockIndex);
      // A clipped part counts as shown: otherwise a later copy of the text would bind, and fill the room that the clip made.
      const isShown = isVisible && (fold === undefined || fold.kind === "clip" || shows(fold.standIn, part));
      placed.push({ ...part, logIndex, isShown });
    };
    const found = readStanding(message);
    for (const part of found.parts) if (part.kind !== "rule" || bindsHere(part)) add(part);
    const calls = callParts(message, (result, blockIndex) => callOf(number, { place, blockIndex }, result));
    for (const part of calls) add(part);
    speech.note(logIndex, message, found);
    approved.note(logIndex, message, found);
  }
}

/** The place of a message in its segment, and the segment's number and start in the log. */
interface SegmentPlace {
  readonly place: number;
  /** The number of the segment. */
  readonly number: number;
  readonly start: number;
}

/** Fewer messages are too few to tell who talks in a log. */
const LEAST_TALK = 8;
const NAMED_SHARE = 0.8;

/**
 * Decides which rules bind in a log. Where an agent works with tools, all. Where a person and a model only talk, those that are said as rules, as
 * people often tell what they always or never do. Where people talk with each other, and messages begin with names, none.
 */
function ruleFilter(messages: readonly Message[]): (rule: FoundPart) => boolean {
  let named = 0;
  let said = 0;
  for (const segment of logSegments(messages)) {
    const counts = talkCounts(segment);
    if (counts.hasTools) return () => true;
    said += counts.said;
    named += counts.named;
  }
  if (said < LEAST_TALK) return () => true;
  return named >= NAMED_SHARE * said ? () => false : ({ text }) => isPlainRule(text);
}

/** Whether the stand-in of a block shows a part: a part that binds may be written below a stub. */
function shows(standIn: Block, { span, text }: FoundPart): boolean {
  if (span === undefined) return false;
  if (isToolResult(standIn)) return resultText(standIn).includes(text);
  return isKnownBlock(standIn) && standIn.type === "text" && standIn.text.includes(text);
}

/** For each key, the part that still binds: the newest or, where an older one says the same and is shown, the older one. */
function bindingParts(placed: readonly PlacedPart[]): readonly PlacedPart[] {
  const byKey = new Map<string, PlacedPart[]>();
  for (const part of placed) {
    if (part.effect === "ends") byKey.delete(part.key);
    if (part.effect !== "binds") continue;
    const others = byKey.get(part.key);
    if (others === undefined) byKey.set(part.key, [part]);
    else others.push(part);
  }
  return [...byKey.values()].flatMap((parts) => {
    const newest = parts.at(-1);
    if (newest === undefined) return [];
    // A part that is shown already is in the provider's cache.
    return [parts.find(({ text, isShown }) => isShown && text === newest.text) ?? newest];
  });
}

/** Older answers give way to newer ones: an agent may ask a person all day. */
const MOST_ANSWERS = 8;

/** The parts without all but the newest answers of the person. Those that a tool may have made up count apart: they must not push out the others. */
function newestAnswers(parts: readonly PlacedPart[]): readonly PlacedPart[] {
  const answers = parts.filter(({ kind }) => kind === "answer");
  const [oldestCertain, oldestUncertain] = [false, true].map((which) => {
    const places = answers.flatMap((part) => (isUncertain(part) === which ? [part.logIndex] : []));
    return places.toSorted((one, other) => other - one)[MOST_ANSWERS - 1] ?? 0;
  });
  return parts.filter((part) => {
    const oldest = isUncertain(part) ? oldestUncertain : oldestCertain;
    return part.kind !== "answer" || part.logIndex >= (oldest ?? 0);
  });
}

/** Whether a message holds something that binds. */
export function isStanding(standing: Standing, logIndex: number): boolean {
  return standing.has(logIndex);
}

/** The highest rank of the parts in a block, by `CLIP_ORDER`; undefined where nothing in it binds. */
export function clipRank(standing: Standing, logIndex: number, blockIndex: number): number | undefined {
  const ranks = partsOfBlock(standing, logIndex, blockIndex).map(
    ({ kind }: { readonly kind: StandingKind }) => CLIP_ORDER[kind],
  );
  return ranks.length === 0 ? undefined : Math.max(...ranks);
}

/** The parts that bind in one block. */
export function partsOfBlock(standing: Standing, logIndex: number, blockIndex: number): readonly StandingPart[] {
  return (standing.get(logIndex) ?? []).filter((part) => part.blockIndex === blockIndex);
}
