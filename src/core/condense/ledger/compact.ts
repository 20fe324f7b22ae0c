import { assert, assertNumber, assertObject } from "../../assert.ts";
import { checkMessages } from "../../message/check-messages.ts";
import type { CountTokens, Message } from "../../message/message.ts";
import { checkedCounter } from "../../tokens/checked-counter.ts";
import { DEFAULT_KEEP_NEWEST } from "../../truncate/clear-tool-results.ts";
import { capStanding } from "../../truncate/clip-standing.ts";
import { clipToFit } from "../../truncate/clip-to-fit.ts";
import { dedupeToolResults } from "../../truncate/dedupe-tool-results.ts";
import type { FitResult, Folded } from "../../truncate/fit-options.ts";
import { measureView, tokensOf } from "../../truncate/measure-view.ts";
import { truncateToFit } from "../../truncate/truncate-to-fit.ts";
import type { LedgerWeights } from "./ledger-weights.ts";
import { applyLedger, DEFAULT_TAIL_SHARE, planLedger } from "./plan-ledger.ts";
import { LEDGER_WEIGHTS } from "./weights.ts";

export interface CompactOptions {
  /** The share of what standing context leaves of the budget that the newest messages take as they are, beside the ledger. @default 0.1 */
  readonly tailShare?: number;
  /** @default countContentTokens */
  readonly countTokens?: CountTokens;
  /** Fold ids follow from it. @default "" */
  readonly taskId?: string;
  /** How the ledger weighs lines; for measuring with weights that were fitted without a session. @default those of the package */
  readonly weights?: LedgerWeights;
}

/**
 * Makes a log fit a budget without asking a model, by folds that `restoreMessages` undoes. It hides repeated reads, then the older messages behind
 * a ledger that quotes their most needed lines, then whole messages, and clips long ones last; it stops at the first step that suffices.
 * @example
 * ```ts
 * import { compact, getEffectiveApiHistory, type Message } from "palimpsest";
 * const turn = (at: number): Message => ({ role: at % 2 === 0 ? "user" : "assistant", content: `Step ${at}: ${"a line ".repeat(90)}` });
 * const { type, messages, tokens } = compact(Array.from({ length: 60 }, (_, at) => turn(at)), 4_000);
 * console.log(type, tokens <= 4_000); // folded true
 * console.log(getEffectiveApiHistory(messages).length < 60); // true
 * ```
 */
export function compact(messages: readonly Message[], budgetTokens: number, options: CompactOptions = {}): FitResult {
  checkMessages(messages);
  assertNumber("budgetTokens", budgetTokens);
  assertObject("options", options);
  const { tailShare = DEFAULT_TAIL_SHARE, taskId = "", weights = LEDGER_WEIGHTS } = options;
  checkWeights(weights);
  const countTokens = checkedCounter(options.countTokens);
  const { tokens } = measureView(messages, countTokens);
  const unchanged: Folded = { messages, tokens, foldIds: [], messagesHidden: 0 };
  if (tokens <= budgetTokens) return { type: "unchanged", ...unchanged };

  const resolved = { budgetTokens, tailShare, taskId, countTokens, weights };
  const deduped = dedupe(unchanged, resolved);
  if (deduped.tokens <= budgetTokens) return { type: "folded", ...deduped };
  const capped = withCappedStanding(unchanged, resolved);
  const condensed = condense(capped, resolved) ?? capped;
  if (condensed.tokens <= budgetTokens) return { type: "folded", ...condensed };
  return truncate(condensed, resolved);
}

function checkWeights(weights: LedgerWeights): void {
  assertObject("weights", weights);
  for (const model of ["identifiers", "edits"] as const) {
    assertObject(`weights.${model}`, weights[model]);
    const given: Readonly<Record<string, unknown>> = weights[model];
    for (const term of Object.keys(LEDGER_WEIGHTS[model])) {
      assert(Number.isFinite(given[term]), `weights.${model}.${term}`, given[term], "a finite number");
    }
  }
}

type Resolved = Required<CompactOptions> & { readonly budgetTokens: number };

/** Shows repeated reads as pointers: everything that was read can still be seen. */
function dedupe(folded: Folded, { countTokens, taskId }: Resolved): Folded {
  const options = { countTokens, taskId, pointTo: DEFAULT_KEEP_NEWEST };
  const { messages, foldId } = dedupeToolResults(folded.messages, options);
  if (foldId === undefined) return folded;
  const { tokens } = measureView(messages, countTokens);
  return { ...folded, messages, tokens, foldIds: [...folded.foldIds, foldId] };
}

/** Clips what binds where it alone would fill a small budget. */
function withCappedStanding(folded: Folded, { budgetTokens, countTokens, taskId }: Resolved): Folded {
  const { messages, foldIds } = capStanding(folded.messages, { allowedTokens: budgetTokens, countTokens, taskId });
  if (foldIds.length === 0) return folded;
  return { ...folded, messages, tokens: measureView(messages, countTokens).tokens, foldIds };
}

/**
 * The current unit stays whole up to this share of what a budget has beyond a small one: it is what the agent is about to work on. A small
 * budget has nothing to spare for it.
 */
const CURRENT_SHARE = 0.3;
const SMALL_BUDGET_TOKENS = 4_000;

/** Clips the current unit, which always stays, where it would leave too little room for a ledger. */
function clipCurrentUnit(folded: Folded, { budgetTokens, tailShare, countTokens, taskId }: Resolved): Folded {
  const current = tokensOf(measureView(folded.messages, countTokens), "current");
  const currentTokens = Math.max(tailShare * budgetTokens, CURRENT_SHARE * (budgetTokens - SMALL_BUDGET_TOKENS));
  if (current <= currentTokens) return folded;
  return clipToFit(folded, { scope: ["current"], budgetTokens: currentTokens, countTokens, taskId });
}

/** Puts a ledger in place of older messages; undefined where that is refused, or makes the view no smaller. */
function condense(start: Folded, resolved: Resolved): Folded | undefined {
  const clipped = clipCurrentUnit(start, resolved);
  const plan = planLedger(clipped.messages, resolved);
  if (plan.type === "refused") return undefined;
  const messages = applyLedger(clipped.messages, plan);
  const { tokens } = measureView(messages, resolved.countTokens);
  // Compared with the view before the clip: a ledger may be larger than what the clip left of a small log.
  if (tokens >= start.tokens) return undefined;
  return {
    messages,
    tokens,
    foldIds: [...clipped.foldIds, plan.condenseId],
    messagesHidden: clipped.messagesHidden + plan.hidden.length,
  };
}

/** The last rung, for a log of which hardly anything can be condensed, or in which what must stay fills the budget. */
function truncate(folded: Folded, { budgetTokens, countTokens, taskId }: Resolved): FitResult {
  const options = { allowedTokens: budgetTokens, targetTokens: budgetTokens, countTokens, taskId };
  const { type, messages, tokens, foldIds, messagesHidden } = truncateToFit(folded.messages, options);
  return {
    type: type === "cannot-fit" ? type : "folded",
    messages,
    tokens,
    foldIds: [...folded.foldIds, ...foldIds],
    messagesHidden: folded.messagesHidden + messagesHidden,
  };
}
