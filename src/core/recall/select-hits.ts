import type { CountTokens } from "../message/message.ts";
import { createPacking } from "./pack-hits.ts";
import { passageKind } from "./passages/block-texts.ts";
import type { Passage } from "./passages/prepare-block.ts";
import type { PassageScores } from "./ranking/score-passages.ts";
import type { Speakers } from "./ranking/speakers.ts";
import type { RecallHit } from "./recall-hit.ts";
import type { BlockPlace, RecallLog } from "./recall-log.ts";
import { renderEntry, renderRecall } from "./render-recall.ts";

export interface SelectionOptions {
  readonly log: RecallLog;
  readonly speakers: Pick<Speakers, "nameOf">;
  /** Passages and their places are indexed by passage number. */
  readonly passages: readonly Passage[];
  readonly places: readonly BlockPlace[];
  readonly budgetTokens: number;
  readonly maxHits: number;
  readonly countTokens: CountTokens;
}

/** Passages with less than this share of the best score only match by common words. */
const RELEVANT_SHARE = 0.1;
/** After so many hits in a row that did not fit, none is likely to fit any more. */
const MAX_MISFITS = 10;

/** The best passages that fit the budget, best first. Of passages with the same words only one is taken: the newest of the best. */
export function selectHits(matches: PassageScores, options: SelectionOptions): readonly RecallHit[] {
  const { passages, budgetTokens, maxHits, countTokens } = options;
  const hits: RecallHit[] = [];
  const taken = new Set<number>();
  const packing = createPacking(budgetTokens, countTokens);
  let misfits = 0;
  for (const { number, place, score } of ranked(matches, options)) {
    if (hits.length >= maxHits || misfits >= MAX_MISFITS) break;
    const passage = passages[number];
    if (passage === undefined || taken.has(passage.terms.signature)) continue;
    taken.add(passage.terms.signature);
    const hit = makeHit(passage, { place, score }, options);
    const isFit = packing.add(hit);
    if (isFit) hits.push(hit);
    misfits = isFit ? 0 : misfits + 1;
  }
  // With some counters, the whole is more than the sum of its parts.
  while (hits.length > 0 && countTokens(renderRecall(hits)) > budgetTokens) hits.pop();
  return hits;
}

/** A passage with its number, place and score. */
interface RankedPassage {
  readonly number: number;
  readonly place: BlockPlace;
  readonly score: number;
}

/** The relevant passages from the best to the worst. */
function* ranked({ found, scores }: PassageScores, { places }: SelectionOptions): Generator<RankedPassage> {
  const best = found.reduce((highest, number) => Math.max(highest, scores[number] ?? 0), 0);
  const relevant = found.filter((number) => (scores[number] ?? 0) >= best * RELEVANT_SHARE);
  const isBetter = (one: number, other: number) => {
    const difference = (scores[one] ?? 0) - (scores[other] ?? 0);
    return difference === 0 ? comesFirst(one, other, places) : difference > 0;
  };
  for (const number of bestFirst(relevant, isBetter)) {
    const place = places[number];
    if (place !== undefined) yield { number, place, score: scores[number] ?? 0 };
  }
}

/** Whether one of two passages with equal scores comes first: that of the newest message, and in a message the first one. */
function comesFirst(one: number, other: number, places: readonly BlockPlace[]): boolean {
  const [place, otherPlace] = [places[one], places[other]];
  if (place === undefined || otherPlace === undefined) return place !== undefined;
  if (place.messageIndex !== otherPlace.messageIndex) return place.messageIndex > otherPlace.messageIndex;
  if (place.blockIndex !== otherPlace.blockIndex) return place.blockIndex < otherPlace.blockIndex;
  return one < other;
}

interface Finding {
  readonly place: BlockPlace;
  readonly score: number;
}

function makeHit(
  passage: Passage,
  { place, score }: Finding,
  { log, speakers, countTokens }: SelectionOptions,
): RecallHit {
  const { message, messageIndex, block, call } = place;
  const { source, start, end, firstLine, lastLine } = passage;
  const hit = {
    messageId: log.idOf(messageIndex),
    shortId: log.shortIdOf(messageIndex),
    messageIndex,
    foldId: log.foldIdOf(place),
    role: message.role,
    speaker: speakers.nameOf(messageIndex),
    ts: message.ts,
    kind: passageKind(message, block),
    toolName: call?.name,
    firstLine,
    lastLine,
    offset: start,
    text: source.slice(start, end),
    score,
  };
  return { ...hit, tokens: countTokens(renderEntry(hit)) };
}

/** The items from the best to the worst, by a heap: only items that are taken are ordered, and most of many never are. */
function* bestFirst<Item>(items: readonly Item[], isBetter: (one: Item, other: Item) => boolean): Generator<Item> {
  const heap = [...items];
  for (let at = (heap.length >> 1) - 1; at >= 0; at--) sink(heap, at, isBetter);
  while (heap.length > 0) {
    const [best] = heap;
    const last = heap.pop();
    if (best === undefined || last === undefined) return;
    if (heap.length > 0) {
      heap[0] = last;
      sink(heap, 0, isBetter);
    }
    yield best;
  }
}

/** Moves an item down until none below it is better. */
function sink<Item>(heap: Item[], from: number, isBetter: (one: Item, other: Item) => boolean): void {
  for (let at = from; ; ) {
    const left = heap[2 * at + 1];
    const right = heap[2 * at + 2];
    const item = heap[at];
    if (left === undefined || item === undefined) return;
    const isRight = right !== undefined && isBetter(right, left);
    const child = isRight ? right : left;
    if (!isBetter(child, item)) return;
    heap[at] = child;
    at = 2 * at + (isRight ? 2 : 1);
    heap[at] = item;
  }
}
