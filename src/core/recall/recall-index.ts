import { assert, assertNumber, assertObject } from "../assert.ts";
import { checkMessages } from "../message/check-messages.ts";
import type { CountTokens, Message } from "../message/message.ts";
import { checkedCounter } from "../tokens/checked-counter.ts";
import { expandId } from "./expand.ts";
import { createPassageIndex } from "./index/passage-index.ts";
import { passageKind } from "./passages/block-texts.ts";
import { callContext, prepareBlock } from "./passages/prepare-block.ts";
import { blendSimilarities, type Similarities } from "./ranking/blend-similarities.ts";
import { createPassageOrder } from "./ranking/passage-order.ts";
import { rankPassages } from "./ranking/rank-passages.ts";
import { createSpeakers } from "./ranking/speakers.ts";
import type { RecallHit } from "./recall-hit.ts";
import { type BlockPlace, createRecallLog, type RecallScope } from "./recall-log.ts";
import { selectHits } from "./select-hits.ts";

export interface RecallIndexOptions {
  /** Whether only what folds hide is searched, or the whole log. @default "hidden" */
  readonly scope?: RecallScope | undefined;
  /**
   * Whether neighbouring messages belong together, so that one is found by the words of the next; false for messages that were collected from
   * several logs. @default true
   */
  readonly isContinuous?: boolean | undefined;
  /** @default countContentTokens */
  readonly countTokens?: CountTokens | undefined;
}

export interface RecallOptions {
  /** The text that `renderRecall` makes of the hits is never larger. */
  readonly budgetTokens: number;
  /** @default as many as fit */
  readonly maxHits?: number | undefined;
  /** The similarity in meaning of candidates to the query, from -1 to 1, by their numbers. @default ranked by words alone */
  readonly similarities?: Similarities | undefined;
}

/** A passage that a comparison by meaning should look at. */
export interface RecallCandidate {
  readonly passage: number;
  readonly text: string;
}

/** A log that can be searched. */
export interface RecallIndex {
  /**
   * Extends the log; message objects that it has already are skipped. A log that was folded, restored or rewound has new objects
   * for old messages and needs a new index, which is quick, as passages are cached per block.
   */
  add(messages: readonly Message[]): void;
  /** The excerpts that match a query best, best first; none where nothing matches or nothing fits. */
  recall(query: string, options: RecallOptions): readonly RecallHit[];
  /** At most `limit` passages to compare by meaning: the best ones by words, then the newest others. */
  candidates(query: string, options: { readonly limit: number }): readonly RecallCandidate[];
  /** The messages of a fold, or one message, as they were before any fold; throws "unknown-fold" where the log has no such id. */
  expand(id: string): readonly Message[];
}

/**
 * An index over `messages`. Equal logs give equal answers, however they were added.
 * @example
 * ```ts
 * import { createRecallIndex } from "palimpsest/core";
 * const log = [{ role: "user", content: "The secret rotates every ninety days." }] as const;
 * const [hit] = createRecallIndex(log, { scope: "all" }).recall("rotation of the secret", { budgetTokens: 500 });
 * console.log(hit?.text); // The secret rotates every ninety days.
 * ```
 */
export function createRecallIndex(messages: readonly Message[], options: RecallIndexOptions = {}): RecallIndex {
  assertObject("options", options);
  const { scope = "hidden", isContinuous = true } = options;
  assert(scope === "hidden" || scope === "all", "scope", scope, '"hidden" or "all"');
  assert(typeof isContinuous === "boolean", "isContinuous", isContinuous, "true or false");
  const countTokens = checkedCounter(options.countTokens);
  const log = createRecallLog(scope);
  const index = createPassageIndex();
  /** The block that each passage of the index is from. */
  const places: BlockPlace[] = [];
  const order = createPassageOrder();
  const speakers = createSpeakers();

  function add(added: readonly Message[]): void {
    checkMessages(added);
    const known = log.messages.length;
    const inScope = log.add(added);
    for (const message of log.messages.slice(known)) {
      speakers.add(message);
      order.addMessage(message.ts);
    }
    for (const place of inScope) {
      const { block, blockIndex, message, messageIndex, call } = place;
      const kind = passageKind(message, block);
      const context = call === undefined ? undefined : callContext(call);
      for (const passage of prepareBlock(block, typeof block === "string" ? message : block)) {
        index.add(passage, context);
        order.addPassage(messageIndex, blockIndex, kind);
        places.push(place);
      }
    }
  }

  function recall(query: string, recallOptions: RecallOptions): readonly RecallHit[] {
    assert(typeof query === "string", "query", query, "a string");
    assertObject("options", recallOptions);
    const { budgetTokens, maxHits = Number.POSITIVE_INFINITY } = recallOptions;
    assertNumber("budgetTokens", budgetTokens, 0);
    if (maxHits !== Number.POSITIVE_INFINITY) assertNumber("maxHits", maxHits, 0);
    const byWords = rankPassages({ index, order, speakers, isContinuous }, query, budgetTokens);
    const { similarities } = recallOptions;
    const matches = similarities === undefined ? byWords : blendSimilarities(byWords, similarities);
    return selectHits(matches, { log, speakers, places, passages: index.passages, budgetTokens, maxHits, countTokens });
  }

  function candidates(query: string, { limit }: { readonly limit: number }): readonly RecallCandidate[] {
    assert(typeof query === "string", "query", query, "a string");
    assertNumber("limit", limit, 0);
    const { found, scores } = rankPassages({ index, order, speakers, isContinuous }, query, 0);
    const best = found.toSorted((one, other) => (scores[other] ?? 0) - (scores[one] ?? 0) || order.compare(other, one));
    const chosen = new Set(best.slice(0, limit));
    for (let message = order.messages() - 1; message >= 0 && chosen.size < limit; message--) {
      for (const passage of order.passagesOf(message).toReversed()) if (chosen.size < limit) chosen.add(passage);
    }
    return [...chosen].flatMap((passage) => {
      const { source = "", start = 0, end = 0 } = index.passages[passage] ?? {};
      return start < end ? [{ passage, text: source.slice(start, end) }] : [];
    });
  }

  add(messages);
  return { add, recall, candidates, expand: (id) => expandId(log.messages, id) };
}
