import { assert, assertObject } from "../core/assert.ts";
import { checkMessages } from "../core/message/check-messages.ts";
import { effectiveView } from "../core/message/effective-view.ts";
import type { Message } from "../core/message/message.ts";
import type { ThresholdSettings } from "../core/policy/condense-threshold.ts";
import { planManagement } from "../core/policy/plan-management.ts";
import { decideManagement, type ManagementDecision } from "../core/policy/will-manage-context.ts";
import type { CondensationResult } from "../core/ports/condensation.ts";
import type { ModelHandler } from "../core/ports/model-handler.ts";
import { DEFAULT_RESERVED_TOKENS } from "../core/tokens/budget.ts";
import { countContentTokens } from "../core/tokens/count-content.ts";
import { countMessagesTokens } from "../core/tokens/count-messages.ts";
import { countTextTokens } from "../core/tokens/o200k/count-text-tokens.ts";
import type { TruncationSelection } from "../core/truncate/fit-options.ts";
import { sharedBackOff } from "./condense/back-off.ts";
import { handlerWarnings, summarizeConversation } from "./condense/summarize-conversation.ts";
import { createHandlerGauge, type HandlerGauge } from "./model/handler-gauge.ts";
import { handlerFault, isHandler } from "./model/handler-model.ts";
import { createPromptGauge, observedRatio, type PromptGauge } from "./pipeline/prompt-gauge.ts";
import { type PlanOutcome, runPlan } from "./pipeline/run-plan.ts";

export interface ManageContextOptions extends ThresholdSettings {
  readonly messages: readonly Message[];
  /** The tokens of the conversation so far, without the last message. */
  readonly totalTokens: number;
  readonly contextWindow: number;
  /** The most tokens that the reply may take. @default DEFAULT_RESERVED_TOKENS */
  readonly maxTokens?: number | undefined;
  readonly apiHandler: ModelHandler;
  /** Whether a model may be asked to condense. */
  readonly autoCondenseContext: boolean;
  readonly systemPrompt: string;
  readonly taskId: string;
  readonly customCondensingPrompt?: string | undefined;
  /** Writes the summaries in place of `apiHandler`. */
  readonly condensingApiHandler?: ModelHandler | undefined;
  /** Ignored: tool pairs stay whole either way. */
  readonly useNativeTools?: boolean | undefined;
}

export interface ContextManagementResult extends Omit<CondensationResult, "modelCalls"> {
  /** The size of the prompt before anything was done. */
  readonly prevContextTokens: number;
  readonly truncationId?: string;
  readonly messagesRemoved?: number;
  /** The size of system prompt and view after a truncation. */
  readonly newContextTokensAfterTruncation?: number;
  /** Invalid settings, and what was done instead. */
  readonly warnings?: readonly string[];
}

/**
 * Keeps a conversation inside its window by fixed rules: condenses with a model when the threshold is reached, and truncates by halves when the limit
 * is passed and condensing is off, fails or is not enough. Does not throw where the model fails or the handler is invalid: the result has an `error`.
 * @example
 * ```ts
 * import { manageContext, type Message, type ModelHandler } from "palimpsest/compat";
 * const apiHandler: ModelHandler = { getModel: () => ({ id: "any" }), async *createMessage() {} };
 * const messages = Array.from({ length: 40 }, (_, at): Message => ({ role: at % 2 === 0 ? "user" : "assistant", content: `${at} `.repeat(200) }));
 * const settings = { autoCondenseContext: false, autoCondenseContextPercent: 75, profileThresholds: {}, currentProfileId: "default" };
 * const prompt = { apiHandler, systemPrompt: "You are brief.", taskId: "task-42", contextWindow: 16_000, maxTokens: 1_000 };
 * console.log((await manageContext({ ...settings, ...prompt, messages, totalTokens: 15_800 })).messagesRemoved); // 18
 * ```
 */
export async function manageContext(options: ManageContextOptions): Promise<ContextManagementResult> {
  assertObject("options", options);
  const { messages, systemPrompt, taskId } = options;
  checkMessages(messages);
  const fault = handlerFault("apiHandler", options.apiHandler);
  const apiHandler = fault === undefined ? options.apiHandler : NO_HANDLER;
  assert(typeof systemPrompt === "string", "systemPrompt", systemPrompt, "a string");
  const handlerGauge = createHandlerGauge(apiHandler);
  const last = messages.at(-1);
  const lastMessageTokens = last === undefined ? 0 : await handlerGauge.measureMessage(last);
  const decision = decideManagement({ ...withoutUndefined(options), lastMessageTokens });
  const condensing = isHandler(options.condensingApiHandler) ? options.condensingApiHandler : apiHandler;
  const backOff = sharedBackOff(condensing, taskId);
  const shouldCondense = decision.shouldCondense && !backOff.isWaiting(() => messages);
  const gauge = await gaugeOf(options, decision, handlerGauge);
  const plan = planManagement({ ...decision, shouldCondense }, { foldsToolResults: false, selection: HALF });
  const outcome = await runPlan(plan, {
    messages,
    taskId,
    promptTokens: decision.prevContextTokens,
    gauge,
    measure: (log) => handlerGauge.measurePrompt(systemPrompt, effectiveView(log)),
    condense: (log, promptTokens) =>
      summarizeConversation(
        log,
        apiHandler,
        systemPrompt,
        taskId,
        promptTokens,
        true,
        options.customCondensingPrompt,
        options.condensingApiHandler,
        options.useNativeTools,
      ),
  });
  if (outcome.condensation !== undefined) backOff.record(messages, outcome.condensation);
  const managed = describe(outcome, decision, warningsOf(options, decision, outcome));
  // Without a valid handler the context can still be truncated, but the result says that the handler is invalid.
  return fault === undefined || managed.condenseId !== undefined ? managed : { ...managed, error: fault };
}

/** Stands in for an invalid handler. */
const NO_HANDLER: ModelHandler = {
  getModel: () => ({ id: "" }),
  // biome-ignore lint/correctness/useYield: it never replies
  async *createMessage() {
    throw new Error("apiHandler cannot be asked.");
  },
};

/**
 * The name that {@link manageContext} had in earlier versions of Roo Code.
 * @example
 * ```ts
 * import { manageContext, truncateConversationIfNeeded } from "palimpsest/compat";
 * console.log(truncateConversationIfNeeded === manageContext); // true
 * ```
 */
export const truncateConversationIfNeeded = manageContext;

const HALF: TruncationSelection = { type: "fraction", fracToRemove: 0.5 };

/** Bounds of the ratio. A reported size may be about another prompt, so it may change the ratio less than the handler's own count. */
const MAX_REPORTED_RATIO = 2;
const MAX_OWN_RATIO = 10;
const MIN_RATIO = 0.1;

/** The gauge for a plan. Only where the limit is passed is the handler asked to count: its count then decides how much must be hidden. */
async function gaugeOf(
  { messages, systemPrompt }: ManageContextOptions,
  { prevContextTokens, mustShrink }: ManagementDecision,
  handlerGauge: HandlerGauge,
): Promise<PromptGauge> {
  const view = effectiveView(messages);
  const viewTokens = countMessagesTokens(view);
  const overheadTokens = mustShrink
    ? await handlerGauge.measurePrompt(systemPrompt, [])
    : countTextTokens(systemPrompt);
  const reported = { promptTokens: prevContextTokens, overheadTokens, viewTokens };
  if (!mustShrink) {
    const ratio = observedRatio(reported, MAX_REPORTED_RATIO);
    return createPromptGauge({ countTokens: countContentTokens, overheadTokens, ratio });
  }
  const own = { ...reported, promptTokens: await handlerGauge.measurePrompt(systemPrompt, view) };
  const ratio = Math.max(
    observedRatio(reported, MAX_REPORTED_RATIO, MIN_RATIO),
    observedRatio(own, MAX_OWN_RATIO, MIN_RATIO),
  );
  return createPromptGauge({ countTokens: countContentTokens, overheadTokens, ratio });
}

function describe(
  { messages, condensation, truncation, promptTokens }: PlanOutcome,
  { prevContextTokens }: ManagementDecision,
  warnings: readonly string[],
): ContextManagementResult {
  const { summary = "", cost = 0, error, condenseId, newContextTokens } = condensation ?? {};
  return {
    messages,
    summary,
    cost,
    prevContextTokens,
    ...(error === undefined ? {} : { error }),
    ...(condenseId === undefined ? {} : { condenseId }),
    ...(newContextTokens === undefined ? {} : { newContextTokens }),
    ...(truncation === undefined ? {} : { ...truncation, newContextTokensAfterTruncation: promptTokens }),
    ...(warnings.length === 0 ? {} : { warnings }),
  };
}

function warningsOf(
  { condensingApiHandler, maxTokens, contextWindow }: ManageContextOptions,
  { warning, allowedTokens, mustShrink }: ManagementDecision,
  { promptTokens }: PlanOutcome,
): readonly string[] {
  const isTooLarge = mustShrink && promptTokens > allowedTokens;
  const hasNoRoom = maxTokens === undefined && allowedTokens <= 0;
  return [
    ...(warning === undefined ? [] : [warning]),
    ...handlerWarnings(condensingApiHandler),
    ...(hasNoRoom
      ? [
          `A window of ${contextWindow} tokens has no room for a prompt beside the ${DEFAULT_RESERVED_TOKENS} that are kept for ` +
            "the reply where maxTokens is not given. Pass maxTokens.",
        ]
      : []),
    ...(isTooLarge
      ? [
          `The context still has ${promptTokens} tokens and may have ${Math.floor(allowedTokens)}: what is left cannot be ` +
            "folded. Shorten the system prompt, lower maxTokens, or use a model with a larger window.",
        ]
      : []),
  ];
}

/** The options without a `maxTokens` that is undefined: callers pass settings that they may not have. */
function withoutUndefined({ maxTokens, ...options }: ManageContextOptions) {
  return maxTokens === undefined ? options : { ...options, maxTokens };
}
