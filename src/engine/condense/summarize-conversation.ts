import { assert, assertNumber } from "../../core/assert.ts";
import { N_MESSAGES_TO_KEEP } from "../../core/condense/summary/keep-messages.ts";
import { checkMessages } from "../../core/message/check-messages.ts";
import type { Message } from "../../core/message/message.ts";
import type { CondensationResult } from "../../core/ports/condensation.ts";
import type { ModelHandler } from "../../core/ports/model-handler.ts";
import { countContentTokens } from "../../core/tokens/count-content.ts";
import { createHandlerGauge } from "../model/handler-gauge.ts";
import { assertHandler, isHandler } from "../model/handler-model.ts";
import { DEFAULT_MAX_MODEL_CALLS, DEFAULT_TIMEOUT_MS } from "./condensation-run.ts";
import { condenseBySummary } from "./condense-by-summary.ts";

/** The result of {@link summarizeConversation}. */
export interface SummarizeResult extends CondensationResult {
  /** Invalid arguments, and what was done instead. */
  readonly warnings?: readonly string[];
}

/**
 * Hides all but the first and the {@link N_MESSAGES_TO_KEEP} newest messages behind a summary that a model writes.
 *
 * Does not throw where the model fails: the result then has an `error`, and its `messages` are those that were passed. `customCondensingPrompt`
 * replaces the default system prompt. `condensingApiHandler` writes the summary in place of `apiHandler`, which then only counts; an invalid one is
 * ignored, and `warnings` says so.
 * Besides messages that a person marked, the newest short messages that state a decision stay visible, unless `keepsDecisions` is false.
 * `isAutomaticTrigger` and `useNativeTools` are ignored: they are there for callers that pass them.
 * @example
 * ```ts
 * import { type Message, type ModelHandler, summarizeConversation } from "palimpsest/compat";
 * const apiHandler: ModelHandler = {
 *   getModel: () => ({ id: "claude-haiku-4-5" }),
 *   async *createMessage() { yield { type: "text", text: "The login test failed because of a stale token." }; },
 * };
 * const log = Array.from({ length: 12 }, (_, at): Message => ({ role: at % 2 === 0 ? "user" : "assistant", content: `Turn ${at}: ${"words ".repeat(80)}` }));
 * console.log((await summarizeConversation(log, apiHandler, "You are brief.", "task-42", 1_200)).summary); // The login test failed because of a stale token.
 * ```
 */
export async function summarizeConversation(
  messages: readonly Message[],
  apiHandler: ModelHandler,
  systemPrompt: string,
  taskId: string,
  prevContextTokens: number,
  _isAutomaticTrigger = false,
  customCondensingPrompt?: string,
  condensingApiHandler?: ModelHandler,
  _useNativeTools = false,
  keepsDecisions = true,
): Promise<SummarizeResult> {
  checkMessages(messages);
  assertHandler("apiHandler", apiHandler);
  assertString("systemPrompt", systemPrompt);
  assertString("taskId", taskId);
  assertNumber("prevContextTokens", prevContextTokens, 0);
  assertString("customCondensingPrompt", customCondensingPrompt ?? "");
  assert(typeof keepsDecisions === "boolean", "keepsDecisions", keepsDecisions, "true or false");
  const gauge = createHandlerGauge(apiHandler);
  const warnings = handlerWarnings(condensingApiHandler);
  const result = await condenseBySummary({
    messages,
    handler: isHandler(condensingApiHandler) ? condensingApiHandler : apiHandler,
    taskId,
    prompt: customCondensingPrompt,
    keepMessages: N_MESSAGES_TO_KEEP,
    keepsDecisions,
    prevContextTokens,
    countTokens: countContentTokens,
    measurePrompt: (view) => gauge.measurePrompt(systemPrompt, view),
    maxModelCalls: DEFAULT_MAX_MODEL_CALLS,
    timeoutMs: DEFAULT_TIMEOUT_MS,
  });
  return warnings.length === 0 ? result : { ...result, warnings };
}

/** A warning about a condensing handler that was passed but is invalid. */
export function handlerWarnings(condensingApiHandler: unknown): readonly string[] {
  if (condensingApiHandler === undefined || isHandler(condensingApiHandler)) return [];
  return ["condensingApiHandler has no createMessage function; apiHandler writes the summaries."];
}

function assertString(name: string, value: unknown): void {
  assert(typeof value === "string", name, value, "a string");
}
