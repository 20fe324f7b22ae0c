import type { CountTokens, Message, TextBlock } from "../../message/message.ts";
import { messageTexts } from "../../text/message-texts.ts";
import { countMessageTokens } from "../../tokens/count-messages.ts";
import type { CondensationPlan, CondensationRefusal } from "../condensation-plan.ts";
import { PLACES_SHARE } from "../ledger/needed-places.ts";
import { type LedgerFold, type PlanLedgerOptions, planLedgerFold } from "../ledger/plan-ledger.ts";
import { quotable } from "../ledger/quotable.ts";
import { writeLedger } from "../ledger/write-ledger.ts";
import { shortenText } from "../request/shorten-text.ts";
import { summaryNotice } from "../summary-text.ts";
import { checkQuotes } from "./check-quotes.ts";
import { HYBRID_SUMMARY_TOKENS } from "./hybrid-prompt.ts";
import { HYBRID_OPENING } from "./hybrid-text.ts";
import { readHybridReply } from "./read-reply.ts";

/** A ledger's plan in which a model's summary takes the first part of the room. */
export interface HybridPlan extends LedgerFold {
  /** How long the model's summary may be. */
  readonly summaryTokens: number;
  /** How much of the rest the places may fill that the model finds to be needed. */
  readonly placesTokens: number;
}

/** The share of the room that the summary may take: identifiers and code need the rest. */
const SUMMARY_SHARE = 0.4;
/** Where the room is short, the summary comes first: up to this many tokens, or this share of the room. */
const SHORT_SUMMARY_TOKENS = 400;
const SHORT_SHARE = 0.8;
/** In fewer tokens, a model cannot describe the state of the work. */
const LEAST_SUMMARY_TOKENS = 100;

/** Decides what a hybrid will stand for: the same as a ledger of the same budget would. */
export function planHybrid(messages: readonly Message[], options: PlanLedgerOptions): HybridPlan | CondensationRefusal {
  const fold = planLedgerFold(messages, options);
  if (fold.type === "refused") return fold;
  const summaryTokens = summaryRoom(fold.roomTokens);
  if (summaryTokens < LEAST_SUMMARY_TOKENS) {
    return { type: "refused", error: `There is room for a summary of ${summaryTokens} tokens only.` };
  }
  return { ...fold, summaryTokens, placesTokens: Math.floor(PLACES_SHARE * (fold.roomTokens - summaryTokens)) };
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

/** Makes one message that fits the room out of a model's reply and the quoted lines that are worth most beside it. */
export function writeHybrid(
  messages: readonly Message[],
  plan: HybridPlan,
  { reply, countTokens }: { readonly reply: string; readonly countTokens: CountTokens },
): WrittenHybrid {
  const { visible, toSummarize, earlierSummary = "", roomTokens, summaryTokens } = plan;
  const { summary: written, needed } = readHybridReply(reply);
  const checked = checkQuotes(written, [...messageTexts(toSummarize), ...messageTexts(visible), earlierSummary]);
  const summary = shortenText(checked, summaryTokens, countTokens);
  const takenTokens = countMessageTokens(hybridMessage(plan, summary, ""), countTokens);
  const ledger = writeLedger(quotable(messages).filter(isNotIntegrated(plan)), {
    budgetTokens: roomTokens - takenTokens,
    countTokens: (text) => countMessageTokens(hybridMessage(plan, summary, text), countTokens) - takenTokens,
    // Lines that the summary repeats need not be quoted.
    visible: [...visible, { role: "assistant", content: summary }],
    needed,
  });
  return { summary, standIn: hybridMessage(plan, summary, ledger.text) };
}

/** Leaves out earlier summaries where the model was given the newest one: its reply has taken over what still holds. */
function isNotIntegrated({ earlierSummary }: HybridPlan): (message: Message) => boolean {
  return ({ isSummary }) => earlierSummary === undefined || isSummary !== true;
}

/** The message that replaces what the plan hides: the model's summary, and the ledger beside it, if there is one. */
function hybridMessage(plan: CondensationPlan, summary: string, ledger: string): Message {
  const { condenseId, total, ts } = plan;
  const quoted: readonly TextBlock[] = ledger === "" ? [] : [{ type: "text", text: ledger }];
  return {
    id: condenseId,
    role: "user",
    content: [{ type: "text", text: `${HYBRID_OPENING}\n\n${summary}` }, ...quoted, summaryNotice(condenseId, total)],
    ...(ts === undefined ? {} : { ts }),
    isSummary: true,
    condenseId,
  };
}
