import type { Message } from "../../message/message.ts";
import { createRecallIndex } from "../../recall/recall-index.ts";
import { renderRecall } from "../../recall/render-recall.ts";
import { spokenTexts } from "../../text/message-texts.ts";
import { countMessagesTokens } from "../../tokens/count-messages.ts";
import { countTextTokens } from "../../tokens/o200k/count-text-tokens.ts";
import type { EvalStrategy, View } from "../eval-types.ts";
import { renderView } from "../view/render-view.ts";
import { heldToBudget } from "./held-to-budget.ts";
import { identifierList } from "./identifier-list.ts";
import { maskResults } from "./mask-results.ts";
import { clipToTokens, tailText } from "./tail-text.ts";

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
 * What anyone would try first, and what ours has to beat.
 * @example
 * ```ts
 * import { BASELINE_STRATEGIES } from "palimpsest/evals";
 * console.log(BASELINE_STRATEGIES.map(({ name }) => name).join()); // keep-last,first + last,50 % truncation,masking,BM25 + tail,identifier list
 * ```
 */
export const BASELINE_STRATEGIES: readonly EvalStrategy[] = STRATEGIES.map(heldToBudget);

/** The first message, a quarter of the budget at most, and the newest lines. */
function firstAndLast(messages: readonly Message[], budgetTokens: number): View {
  const first = clipToTokens(renderView(messages.slice(0, 1)), budgetTokens * FIRST_SHARE, "beginning");
  return `${first}\n${tailText(messages.slice(1), budgetTokens - countTextTokens(`${first}\n`))}`;
}

/** Drops the older half of what follows the first message, again and again until the rest fits. */
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

/** Half for what a search for the latest words finds, half for the newest lines. */
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
