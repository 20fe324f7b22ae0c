import { assert, assertObject } from "../../core/assert.ts";
import { MIN_CONDENSE_WINDOW } from "../../core/policy/will-manage-context.ts";
import type { CondensationOptions, CondensationPlugin } from "../../core/ports/condensation.ts";
import type { ModelHandler } from "../../core/ports/model-handler.ts";
import { countMessagesTokens } from "../../core/tokens/count-messages.ts";
import { assertHandler } from "../model/handler-model.ts";
import { type CondensationRun, refuseCondensation } from "./condensation-run.ts";
import { condenseByHybrid, type HybridRun } from "./condense-by-hybrid.ts";
import { condenseBySnapshot } from "./condense-by-snapshot.ts";
import { condenseBySummary } from "./condense-by-summary.ts";

export interface ModelCondenserOptions {
  /**
   * `hybrid` writes a short summary of how the work stands, and quotes beside it the lines that a ledger would; `summary` keeps the
   * first and the newest messages and writes prose in six parts; `snapshot` keeps the newest 30 % and writes a structured state.
   * @default "hybrid"
   */
  readonly strategy?: "hybrid" | "summary" | "snapshot" | undefined;
  /** Whether a second request asks what the snapshot left out, and writes it again; for `snapshot` alone. @default false */
  readonly verify?: boolean | undefined;
  /**
   * Whether messages in which something was decided stay visible beside the summary: the eight newest, of 300 tokens at most, within a tenth
   * of what could be hidden; for `summary` and `snapshot`, as a hybrid quotes them. @default true
   */
  readonly keepDecisions?: boolean | undefined;
  /** @default the strategy's name */
  readonly name?: string | undefined;
  /** Of several condensers that activate, the highest is tried first. @default 0 */
  readonly priority?: number | undefined;
}

const MODEL_STRATEGIES = { hybrid: condenseByHybrid, summary: condenseBySummary, snapshot: condenseBySnapshot };

/**
 * A condenser that asks a model.
 * @example
 * ```ts
 * import { createEngine, type ModelHandler, modelCondenser } from "palimpsest";
 * const handler: ModelHandler = {
 *   getModel: () => ({ id: "claude-haiku-4-5" }),
 *   async *createMessage() { yield { type: "text", text: "What was done so far, and what is next." }; },
 * };
 * const condenser = modelCondenser(handler, { strategy: "snapshot" });
 * createEngine({ model: "claude-sonnet-4-5", condenser });
 * console.log(condenser.name); // snapshot
 * ```
 */
export function modelCondenser(handler: ModelHandler, options: ModelCondenserOptions = {}): CondensationPlugin {
  assertHandler("handler", handler);
  assertObject("options", options);
  const { strategy = "hybrid", name = strategy, priority = 0, verify = false, keepDecisions = true } = options;
  assert(typeof verify === "boolean", "options.verify", verify, "true or false");
  assert(typeof keepDecisions === "boolean", "options.keepDecisions", keepDecisions, "true or false");
  assert(Object.hasOwn(MODEL_STRATEGIES, strategy), "options.strategy", strategy, "hybrid, summary or snapshot");
  return {
    name,
    priority,
    // A smaller window has no room for a summary and what it was made from.
    shouldActivate: ({ contextWindow }) => contextWindow >= MIN_CONDENSE_WINDOW,
    condense: async (messages, condensation) =>
      condensation.maxModelCalls < 1
        ? refuseCondensation(messages, {
            error: "No model may be asked any more: strategies.maxModelCalls is reached.",
          })
        : MODEL_STRATEGIES[strategy]({
            ...runOf(messages, condensation, handler),
            verify,
            keepsDecisions: keepDecisions,
          }),
  };
}

function runOf(messages: CondensationRun["messages"], options: CondensationOptions, handler: ModelHandler): HybridRun {
  const { overheadTokens, countTokens } = options;
  return {
    ...options,
    messages,
    handler,
    measurePrompt: (view) => overheadTokens + countMessagesTokens(view, countTokens),
  };
}
