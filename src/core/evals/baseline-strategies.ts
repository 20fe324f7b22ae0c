import { type Block, isKnownBlock, type Message } from "../message/message.ts";
import { createRecallIndex } from "../recall/recall-index.ts";
import { renderRecall } from "../recall/render-recall.ts";
import { spokenTexts } from "../text/message-texts.ts";
import { countMessagesTokens } from "../tokens/count-messages.ts";
import { countTextTokens } from "../tokens/o200k/count-text-tokens.ts";
import type { EvalStrategy, View } from "./eval-types.ts";
import { messageIdentifiers } from "./needed/eval-identifiers.ts";
import { messageParts } from "./view/message-parts.ts";
import { countViewTokens, renderView } from "./view/render-view.ts";

const FIRST_SHARE = 0.25;
const MASKING_KEEPS_RESULTS = 10;

const STRATEGIES: readonly EvalStrategy[] = [
  { name: "keep-last", compact: tailText },
  { name: "first + last", compact: firstAndLast },
  { name: "50 % truncation", compact: halve },
  {
    name: "masking",
    compact: (messages, budgetTokens) => tailText(maskResults(messages, MASKING_KEEPS_RESULTS), budgetTokens),
  },
  { name: "BM25 + tail", compact: searchAndTail },
  { name: "identifier list", compact: identifierList },
];

/**
 * The simple strategies that ours has to beat.
 * @example
 * ```ts
 * import { BASELINE_STRATEGIES } from "palimpsest/evals";
 * console.log(BASELINE_STRATEGIES.map(({ name }) => name).join()); // keep-last,first + last,50 % truncation,masking,BM25 + tail,identifier list
 * ```
 */
export const BASELINE_STRATEGIES: readonly EvalStrategy[] = STRATEGIES.map(retryOverBudget);

/** The first message, a quarter of the budget at most, and the newest lines. */
function firstAndLast(messages: readonly Message[], budgetTokens: number): View {
  const first = clipToTokens(renderView(messages.slice(0, 1)), budgetTokens * FIRST_SHARE, "beginning");
  return `${first}\n${tailText(messages.slice(1), budgetTokens - countTextTokens(`${first}\n`))}`;
}

/** Drops the older half of the messages after the first one, repeatedly until the rest fits. */
function halve(messages: readonly Message[], budgetTokens: number): View {
  const [first, ...rest] = messages;
  if (first === undefined) return [];
  let kept = rest;
  while (countMessagesTokens([first, ...kept]) > budgetTokens) {
    if (kept.length <= 1) return firstAndLast([first, ...kept], budgetTokens);
    kept = kept.slice(Math.ceil(kept.length / 2));
  }
  return [first, ...kept];
}

/** Half of the budget for the hits of a search for the latest words, half for the newest lines. */
function searchAndTail(messages: readonly Message[], budgetTokens: number): View {
  const half = Math.floor(budgetTokens / 2);
  const index = createRecallIndex(messages, { scope: "all" });
  const hits = index.recall(latestWords(messages), { budgetTokens: half, maxHits: half });
  if (hits.length === 0) return tailText(messages, budgetTokens);
  const found = renderRecall(hits);
  return `${found}\n${tailText(messages, budgetTokens - countTextTokens(`${found}\n`))}`;
}

function latestWords(messages: readonly Message[]): string {
  const latest = (role: Message["role"]) =>
    messages
      .filter((message) => message.role === role)
      .map((message) => spokenTexts(message).join("\n").trim())
      .findLast((text) => text !== "");
  return [latest("user"), latest("assistant")].filter((text) => text !== undefined).join("\n");
}

/** The newest lines that fit, under the headings of their parts, and the end of the next line. */
function tailText(messages: readonly Message[], budgetTokens: number): string {
  const lines: string[] = [];
  let left = budgetTokens;
  for (const line of newestLines(messages)) {
    const tokens = countTextTokens(`${line}\n`);
    if (tokens > left) {
      const end = clipToTokens(line, left - 1, "end");
      if (end !== "") lines.push(end);
      break;
    }
    left -= tokens;
    lines.push(line);
  }
  return lines.reverse().join("\n");
}

function* newestLines(messages: readonly Message[]): Generator<string> {
  for (const message of messages.toReversed()) {
    for (const { heading, lines } of messageParts(message).toReversed()) {
      yield* lines.toReversed();
      yield heading;
    }
  }
}

// Few texts have longer tokens on average; for those, the guess is doubled.
const FIRST_GUESS_CHARACTERS_PER_TOKEN = 6;

/** The beginning or the end of a text, as much of it as fits. */
function clipToTokens(text: string, budgetTokens: number, part: "beginning" | "end"): string {
  if (budgetTokens < 1) return "";
  const cut = (length: number) => (part === "end" ? text.slice(text.length - length) : text.slice(0, length));
  const fits = (length: number) => countTextTokens(cut(length)) <= budgetTokens;
  let low = 0;
  let high = Math.min(text.length, Math.ceil(budgetTokens * FIRST_GUESS_CHARACTERS_PER_TOKEN));
  while (fits(high)) {
    if (high === text.length) return text;
    low = high;
    high = Math.min(text.length, high * 2);
  }
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return cut(low);
}

const STUB = "[old tool result removed]";

/** Replaces all tool results but the newest `keep` by a stub. */
function maskResults(messages: readonly Message[], keep: number): readonly Message[] {
  let left = keep;
  const masked = messages.toReversed().map((message): Message => {
    if (typeof message.content === "string" || !message.content.some(isResult)) return message;
    const content = message.content.toReversed().map((block): Block => {
      if (!isResult(block)) return block;
      return left-- > 0 ? block : { ...block, content: STUB };
    });
    return { ...message, content: content.reverse() };
  });
  return masked.reverse();
}

function isResult(block: Block): boolean {
  return isKnownBlock(block) && block.type === "tool_result";
}

const SEPARATOR = ", ";
/** By how many doublings of its count the newest identifier is worth more than the oldest. */
const RECENCY_WEIGHT = 6;

/** A bare list of the most recent and frequent names that fit: shows how far a score without context can be fooled. */
function identifierList(messages: readonly Message[], budgetTokens: number): string {
  const names: string[] = [];
  let left = budgetTokens;
  for (const value of ranked(messages)) {
    const tokens = countTextTokens(value + SEPARATOR);
    if (tokens > left) continue;
    left -= tokens;
    names.push(value);
    if (left < 2) break;
  }
  return names.join(SEPARATOR);
}

function ranked(messages: readonly Message[]): readonly string[] {
  const totals = new Map<string, { count: number; latest: number }>();
  for (const [index, message] of messages.entries()) {
    for (const { counts } of messageIdentifiers(message)) {
      for (const [value, count] of counts) {
        const countBefore = totals.get(value)?.count ?? 0;
        totals.set(value, { count: countBefore + count, latest: index });
      }
    }
  }
  const scored = Array.from(totals, ([value, { count, latest }]) => {
    return { value, score: Math.log2(1 + count) + (RECENCY_WEIGHT * latest) / messages.length };
  });
  return scored.sort((one, other) => other.score - one.score).map(({ value }) => value);
}

const MAX_TRIES = 4;

/** Compacts again with a smaller budget where a view is too large: tokens counted line by line do not add up to those of the text. */
function retryOverBudget({ name, compact }: EvalStrategy): EvalStrategy {
  return {
    name,
    compact(messages, budgetTokens) {
      let reducedBudget = budgetTokens;
      let view = compact(messages, reducedBudget);
      for (let tries = 1; tries < MAX_TRIES; tries++) {
        const excess = countViewTokens(view) - budgetTokens;
        if (excess <= 0) return view;
        reducedBudget = Math.max(0, reducedBudget - excess);
        view = compact(messages, reducedBudget);
      }
      return view;
    },
  };
}
