import { assert, assertObject, assertOptionNames } from "../../core/assert.ts";
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
   * `hybrid` has the model write a short account of the work, and adds the lines that a ledger quotes. `summary` keeps the first and the newest
   * messages, and has the model write prose in six parts. `snapshot` keeps the newest 30 %, and has it write a structured state.
   * @default "hybrid"
   */
  readonly strategy?: "hybrid" | "summary" | "snapshot" | undefined;
  /** Whether a second request asks what the snapshot left out, and writes the snapshot again; for `snapshot` alone. @default false */
  readonly verify?: boolean | undefined;
  /**
   * Whether messages that state a decision stay visible beside the summary: the eight newest of at most 300 tokens, within a tenth of what could be
   * hidden. For `summary` and `snapshot`: a hybrid quotes them in any case. @default true
   */
  readonly keepDecisions?: boolean | undefined;
  /** @default the strategy's name */
  readonly name?: string | undefined;
  /** Among the condensers that activate, the one with the highest priority is tried first. @default 0 */
  readonly priority?: number | undefined;
}

const OPTIONS = { strategy: true, verify: true, keepDecisions: true, name: true, priority: true } as const;
const MODEL_STRATEGIES = { hybrid: condenseByHybrid, summary: condenseBySummary, snapshot: condenseBySnapshot };

/**
 * Creates a condenser that has a model write the text that stands in for the hidden messages.
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
  assertOptionNames("options", options, OPTIONS);
  const { strategy = "hybrid", name = strategy, priority = 0, verify = false, keepDecisions = true } = options;
  assert(typeof verify === "boolean", "options.verify", verify, "true or false");
  assert(typeof keepDecisions === "boolean", "options.keepDecisions", keepDecisions, "true or false");
  assert(Object.hasOwn(MODEL_STRATEGIES, strategy), "options.strategy", strategy, "hybrid, summary or snapshot");
  return {
    name,
    priority,
    // A smaller window has no room for a summary and the messages that it is made from.
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
