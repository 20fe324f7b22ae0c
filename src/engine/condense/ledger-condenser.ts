import { assert, assertNumber, assertObject } from "../../core/assert.ts";
import { applyLedger, DEFAULT_TAIL_SHARE, planLedger } from "../../core/condense/ledger/plan-ledger.ts";
import { effectiveView } from "../../core/message/effective-view.ts";
import type { Message } from "../../core/message/message.ts";
import type { CondensationOptions, CondensationPlugin, CondensationResult } from "../../core/ports/condensation.ts";
import { countMessagesTokens } from "../../core/tokens/count-messages.ts";
import { refuseCondensation } from "./condensation-run.ts";
import { DEFAULT_TARGET_SHARE, viewBudget } from "./view-budget.ts";

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
  const budgetTokens = viewBudget(messages, options, options.targetShare ?? targetShare);
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
