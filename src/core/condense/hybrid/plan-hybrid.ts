import type { CountTokens, Message } from "../../message/message.ts";
import { messageTexts } from "../../text/message-texts.ts";
import { countMessageTokens } from "../../tokens/count-messages.ts";
import type { CondensationRefusal } from "../condensation-plan.ts";
import { type LedgerFold, type PlanLedgerOptions, planLedgerFold, quotable } from "../ledger/plan-ledger.ts";
import { writeLedger } from "../ledger/write-ledger.ts";
import { shortenText } from "../request/shorten-text.ts";
import { checkQuotes } from "./check-quotes.ts";
import { hybridMessage } from "./hybrid-message.ts";
import { HYBRID_SUMMARY_TOKENS } from "./hybrid-prompt.ts";

/** A ledger's fold in which a model's summary takes the first part of the room. */
export interface HybridPlan extends LedgerFold {
  /** What the model may write. */
  readonly summaryTokens: number;
}

/** The share of the room that the summary may take: identifiers and code need the rest. */
const SUMMARY_SHARE = 0.4;
/** Where the room is short, words come first: up to so many tokens, or to this share of it. */
const SHORT_SUMMARY_TOKENS = 400;
const SHORT_SHARE = 0.8;
/** In less, a model cannot tell how the work stands. */
const LEAST_SUMMARY_TOKENS = 100;

/** Decides what a hybrid will stand for: what a ledger of the same budget would. */
export function planHybrid(messages: readonly Message[], options: PlanLedgerOptions): HybridPlan | CondensationRefusal {
  const fold = planLedgerFold(messages, options);
  if (fold.type === "refused") return fold;
  const summaryTokens = summaryRoom(fold.roomTokens);
  if (summaryTokens < LEAST_SUMMARY_TOKENS) {
    return { type: "refused", error: `There is room for a summary of ${summaryTokens} tokens only.` };
  }
  return { ...fold, summaryTokens };
}

function summaryRoom(roomTokens: number): number {
  const share = Math.max(SUMMARY_SHARE * roomTokens, Math.min(SHORT_SUMMARY_TOKENS, SHORT_SHARE * roomTokens));
  return Math.floor(Math.min(HYBRID_SUMMARY_TOKENS, share));
}

export interface WrittenHybrid {
  /** What the model wrote, checked and no longer than planned. */
  readonly summary: string;
  readonly standIn: Message;
}

/** Puts what a model wrote and the lines that are worth most beside it into one message that fits the room. */
export function writeHybrid(
  messages: readonly Message[],
  plan: HybridPlan,
  { reply, countTokens }: { readonly reply: string; readonly countTokens: CountTokens },
): WrittenHybrid {
  const { visible, toSummarize, earlierSummary = "", roomTokens, summaryTokens } = plan;
  const checked = checkQuotes(reply, [...messageTexts(toSummarize), ...messageTexts(visible), earlierSummary]);
  const summary = shortenText(checked, summaryTokens, countTokens);
  const alone = hybridMessage(plan, summary, "");
  const takenTokens = countMessageTokens(alone, countTokens);
  const ledger = writeLedger(quotable(messages).filter(isNotIntegrated(plan)), {
    budgetTokens: roomTokens - takenTokens,
    countTokens: (text) => countMessageTokens(hybridMessage(plan, summary, text), countTokens) - takenTokens,
    // What the summary says need not be quoted.
    visible: [...visible, { role: "assistant", content: summary }],
  });
  return { summary, standIn: hybridMessage(plan, summary, ledger.text) };
}

/** The newest summary was handed to the model, which has taken over what still holds. */
function isNotIntegrated({ earlierSummary }: HybridPlan): (message: Message) => boolean {
  return ({ isSummary }) => earlierSummary === undefined || isSummary !== true;
}
