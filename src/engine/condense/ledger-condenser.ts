import { assert, assertNumber, assertObject } from "../../core/assert.ts";
import { applyLedger, DEFAULT_TAIL_SHARE, planLedger } from "../../core/condense/ledger/plan-ledger.ts";
import { effectiveView } from "../../core/message/effective-view.ts";
import type { Message } from "../../core/message/message.ts";
import type { CondensationOptions, CondensationPlugin, CondensationResult } from "../../core/ports/condensation.ts";
import { countMessagesTokens } from "../../core/tokens/count-messages.ts";
import { refuseCondensation } from "./condensation-run.ts";

export interface LedgerCondenserOptions {
  /** @default "ledger" */
  readonly name?: string;
  /** Below that of condensers that ask a model, so that it is what they fall back to. @default -10 */
  readonly priority?: number;
  /** What the conversation should take afterwards, as a share of what is allowed beside system prompt and tools. @default 0.5 */
  readonly targetShare?: number;
  /** The share of what standing context leaves of the view that the newest messages take as they are. @default 0.15 */
  readonly tailShare?: number;
}

export const LEDGER_NAME = "ledger";
const DEFAULT_PRIORITY = -10;
const DEFAULT_TARGET_SHARE = 0.5;
/** However large the window, condensing that gains less than this would be refused, or was not worth the broken cache. */
const MAX_VIEW_SHARE = 0.6;

/** Finer than what sessions learn about a model's tokens, so that what they learned lies in the middle of a step. */
const RATIO_STEPS = 40;

/**
 * A condenser that asks no model: quotes what will be needed. Free, takes milliseconds, and works in windows of any size.
 * @example
 * ```ts
 * import { createBareEngine, ledgerCondenser, type Message } from "palimpsest";
 * const engine = createBareEngine({ model: "claude-sonnet-4-5", condenser: ledgerCondenser() });
 * const messages = Array.from({ length: 60 }, (_, at): Message => ({ role: at % 2 === 0 ? "user" : "assistant", content: `Step ${at}: ${"a line ".repeat(90)}` }));
 * const { summary, cost } = await engine.condense({ messages });
 * console.log(summary !== "", cost); // true 0
 * ```
 */
export function ledgerCondenser(options: LedgerCondenserOptions = {}): CondensationPlugin {
  assertObject("options", options);
  const { name = LEDGER_NAME, priority = DEFAULT_PRIORITY } = options;
  const { targetShare = DEFAULT_TARGET_SHARE, tailShare = DEFAULT_TAIL_SHARE } = options;
  assertNumber("options.priority", priority);
  assertShare("options.targetShare", targetShare);
  assertShare("options.tailShare", tailShare);
  return {
    name,
    priority,
    usesModel: false,
    shouldActivate: () => true,
    condense: async (messages, condensation) => condense(messages, condensation, { targetShare, tailShare }),
  };
}

function assertShare(name: string, value: number): void {
  assert(typeof value === "number" && value > 0 && value < 1, name, value, "above 0 and below 1");
}

interface Shares {
  readonly targetShare: number;
  readonly tailShare: number;
}

function condense(
  messages: readonly Message[],
  options: CondensationOptions,
  { targetShare, tailShare }: Shares,
): CondensationResult {
  const { taskId, countTokens, keepMessages, overheadTokens } = options;
  const viewTokens = countMessagesTokens(effectiveView(messages), countTokens);
  const budgetTokens = viewBudget(viewTokens, options, options.targetShare ?? targetShare);
  const plan = planLedger(messages, { budgetTokens, tailShare, keepMessages, countTokens, taskId });
  if (plan.type === "refused") return refuseCondensation(messages, { error: plan.error });
  const condensed = applyLedger(messages, plan);
  const newTokens = countMessagesTokens(effectiveView(condensed), countTokens);
  return {
    messages: condensed,
    summary: plan.ledger.text,
    cost: 0,
    modelCalls: 0,
    condenseId: plan.condenseId,
    newContextTokens: overheadTokens + newTokens,
  };
}

/**
 * What the view may take, in tokens of `countTokens`: its share of what is allowed beside system prompt and tools. The prompt as it is was
 * measured by the provider, so the same correction applies to what is left of it.
 */
function viewBudget(
  viewTokens: number,
  { prevContextTokens, overheadTokens, allowedTokens }: CondensationOptions,
  targetShare: number,
): number {
  const measured = Math.max(0, prevContextTokens - overheadTokens) / Math.max(1, viewTokens);
  // A prompt that was measured part by part may be a token off: two gateways must still write the same ledger.
  const ratio = Math.round(measured * RATIO_STEPS) / RATIO_STEPS;
  const room = targetShare * (allowedTokens - overheadTokens);
  return Math.floor(Math.min(room / (ratio > 0 ? ratio : 1), MAX_VIEW_SHARE * viewTokens));
}
