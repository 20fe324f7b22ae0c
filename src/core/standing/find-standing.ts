import { hidingFolds } from "../message/block-folds.ts";
import { collectStandIns, isHidden } from "../message/effective-view.ts";
import { frozenLog, type LogSegment, logSegments } from "../message/log-segments.ts";
import { type Block, isKnownBlock, type Message } from "../message/message.ts";
import { contentBlocks, isToolResult } from "../message/tool-pairs.ts";
import { isApprovedPlan, watchApprovedPlan } from "./approved-plan.ts";
import { callParts } from "./call-parts.ts";
import { type PointReference, pointSpans } from "./named-points.ts";
import { isPlainRule, MAX_OFFER_CHARACTERS, type ReadStanding, readStanding } from "./read-standing.ts";
import { resultText } from "./result-text.ts";
import { CLIP_ORDER, type FoundPart, type StandingKind, type StandingPart } from "./standing-part.ts";
import {
  STANDING_CALLS,
  type StandingSegment,
  standingSegment,
  talkCounts,
  wholeStandingSegment,
} from "./standing-segment.ts";

/** What binds the agent in a log, by the places of its messages. */
export type Standing = ReadonlyMap<number, readonly StandingPart[]>;

export const NOTHING_STANDING: Standing = new Map();

const known = new WeakMap<readonly Message[], Standing>();

/** Finds all that binds in a log, whether folds hide it or not; each message is read once, however often its log is folded. */
export function findStanding(messages: readonly Message[]): Standing {
  const cached = known.get(messages);
  if (cached !== undefined) return cached;
  const standing = readStandingLog(frozenLog(messages), standingSegment);
  known.set(messages, standing);
  return standing;
}

/** The same, by what is read of each segment: all of it, or only what can matter. */
export function readStandingLog(
  messages: readonly Message[],
  readSegment: (segment: LogSegment) => StandingSegment,
): Standing {
  const standing = new Map<number, StandingPart[]>();
  for (const { logIndex, ...part } of bindingParts(placedParts(messages, readSegment))) {
    const { text: _, effect: _1, isShown: _2, ...bare } = part;
    const parts = standing.get(logIndex);
    if (parts === undefined) standing.set(logIndex, [bare]);
    else parts.push(bare);
  }
  return standing;
}

/** Of what binds in a log, only the plan that a person approved. */
export function findApprovedPlan(messages: readonly Message[]): Standing {
  return new Map(
    [...findStanding(messages)].flatMap(([logIndex, parts]) => {
      const approved = parts.filter(isApprovedPlan);
      return approved.length === 0 ? [] : [[logIndex, approved]];
    }),
  );
}

/** A part and where it stands. */
interface PlacedPart extends FoundPart {
  readonly logIndex: number;
  /** The view shows it as it was said, or as much of it as there is room for. */
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
      // A clip is deliberate: if it did not count, a later copy of the text would bind, and fill the room that the clip made.
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

/** Where a message lies in its segment. */
interface SegmentPlace {
  readonly place: number;
  /** Of the segment. */
  readonly number: number;
  readonly start: number;
}

/** Of fewer messages nobody knows what they are. */
const LEAST_TALK = 8;
const NAMED_SHARE = 0.8;

/**
 * Which rules bind in this log. Where an agent works with tools, all; where a person and a model only talk, those that are said as such, for
 * people often tell what they always or never do; where people talk with each other, each message with its speaker, none.
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

/** So many of the newest requests stand, where all but the oldest of them only say "go on". */
const MOST_REQUESTS = 4;

/** Of a block that is folded, what binds in a part of it may stand below its stub. */
function shows(standIn: Block, { span, text }: FoundPart): boolean {
  if (span === undefined) return false;
  if (isToolResult(standIn)) return resultText(standIn).includes(text);
  return isKnownBlock(standIn) && standIn.type === "text" && standIn.text.includes(text);
}

/** Remembers where the person spoke first and last. */
function createSpeechPlaces() {
  let first: number | undefined;
  /** The newest request and, where it only says "go on", what it goes on with. */
  let newest: readonly number[] = [];
  /** Beside what tools returned: said while the agent worked. */
  let lastBeside: number | undefined;
  /** What the assistant has listed or asked, and nobody has answered. */
  let offered: Offer | undefined;
  /** By a short request, what it answers. */
  const answered = new Map<number, Answered>();

  return {
    note(logIndex: number, { role }: Message, read: ReadStanding): void {
      const { speech, saysGoOn, hasResults, isShort, approves, points } = read;
      if (role === "assistant") {
        offered = { logIndex, read };
        return;
      }
      if (speech.length === 0) return;
      if (hasResults) {
        lastBeside = logIndex;
        return;
      }
      first ??= logIndex;
      // A plan that is approved stands longer than what is only answered.
      const isApproved = approves && offered !== undefined && offered.read.proposes.length > 0;
      if (isShort && offered !== undefined && !isApproved) answered.set(logIndex, { ...offered, points });
      offered = undefined;
      newest = [...(saysGoOn ? newest.slice(1 - MOST_REQUESTS) : []), logIndex];
      lastBeside = undefined;
    },
    /** With its words, whatever else a person sent: what is asked may be about a picture. Beside results, only the words. */
    parts(messages: readonly Message[]): readonly (FoundPart & { readonly logIndex: number })[] {
      const whole = (kind: "task" | "request", logIndex: number) => {
        const message = messages[logIndex];
        if (message === undefined) return [];
        const { speech } = readStanding(message);
        const others = [...contentBlocks(message.content).entries()].flatMap(([index, { type }]) =>
          type === "text" ? [] : [index],
        );
        return [...speech, ...others].map((blockIndex) => spoken(kind, logIndex, blockIndex));
      };
      const beside = lastBeside === undefined ? undefined : messages[lastBeside];
      const said = beside === undefined ? [] : readStanding(beside).speech;
      return [
        ...newest.flatMap((logIndex) => whole("request", logIndex)),
        ...newest.flatMap((logIndex) => answeredParts(answered.get(logIndex), messages)),
        ...(first === undefined || newest.includes(first) ? [] : whole("task", first)),
        ...said.map((blockIndex) => spoken("request", lastBeside ?? 0, blockIndex)),
      ];
    },
  };
}

/** What the assistant said last. */
interface Offer {
  readonly logIndex: number;
  readonly read: ReadStanding;
}

interface Answered extends Offer {
  /** Which of its points the request speaks of. */
  readonly points: PointReference | undefined;
}

/** An offer stands whole; of a longer text, the points that the request speaks of. */
function answeredParts(
  answered: Answered | undefined,
  messages: readonly Message[],
): readonly (FoundPart & { readonly logIndex: number })[] {
  if (answered === undefined) return [];
  const { logIndex, read, points } = answered;
  const part = { kind: "plan", logIndex, text: "", effect: "binds" } as const;
  const key = (blockIndex: number) => `plan:answered:${logIndex}:${blockIndex}`;
  const content = messages[logIndex]?.content;
  if (read.offers.length > 0 || points === undefined || content === undefined) {
    return read.offers.map((blockIndex) => ({ ...part, key: key(blockIndex), blockIndex }));
  }
  const maxCharacters = Math.floor(MAX_OFFER_CHARACTERS / read.waits.length);
  return read.waits.flatMap((blockIndex) => {
    const block: Block | undefined =
      typeof content === "string" ? { type: "text", text: content } : content[blockIndex];
    if (block === undefined || !isKnownBlock(block) || block.type !== "text") return [];
    const spans = pointSpans(block.text, points, maxCharacters);
    return spans.map((span) => ({ ...part, key: `${key(blockIndex)}:${span.start}`, blockIndex, span }));
  });
}

function spoken(
  kind: "task" | "request",
  logIndex: number,
  blockIndex: number,
): FoundPart & { readonly logIndex: number } {
  return { kind, key: `${kind}:${logIndex}:${blockIndex}`, logIndex, blockIndex, text: "", effect: "binds" };
}

/** Of the parts of one key those that still bind: the newest or, where an older one says the same and is shown, that one. */
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
    // Where it is shown already, providers have it in their caches.
    return [parts.find(({ text, isShown }) => isShown && text === newest.text) ?? newest];
  });
}

/** Whether a message holds something that binds. */
export function isStanding(standing: Standing, logIndex: number): boolean {
  return standing.has(logIndex);
}

/** How dear a block is: the dearest that stands in it; undefined where nothing does. */
export function clipRank(standing: Standing, logIndex: number, blockIndex: number): number | undefined {
  const ranks = partsOfBlock(standing, logIndex, blockIndex).map(
    ({ kind }: { readonly kind: StandingKind }) => CLIP_ORDER[kind],
  );
  return ranks.length === 0 ? undefined : Math.max(...ranks);
}

export function partsOfBlock(standing: Standing, logIndex: number, blockIndex: number): readonly StandingPart[] {
  return (standing.get(logIndex) ?? []).filter((part) => part.blockIndex === blockIndex);
}
