import { assertObject } from "../../core/assert.ts";
import type { Session } from "../../engine/session/session.ts";
import type { AiSdkMessageLike } from "../../messages/ai-sdk/ai-sdk-prompt.ts";
import {
  assertSession,
  checkCallbacks,
  logError,
  type PalimpsestCallbacks,
  unlessFailed,
} from "../shared/callbacks.ts";
import { foldPrompt, isMessage } from "../shared/fold-ai-sdk-prompt.ts";
import { readAiSdkUsage } from "../shared/read-ai-sdk-usage.ts";
import { type Turn, turnsOf } from "../shared/session-turns.ts";

export interface PalimpsestPrepareStepOptions extends PalimpsestCallbacks {
  readonly session: Session;
}

/** What the SDK tells before each step, as far as it matters here. */
export interface AiSdkStep<Item extends AiSdkMessageLike> {
  readonly messages: readonly Item[];
  /** The two that version 7 has: what the call began with, and what was said since. */
  readonly initialMessages?: readonly Item[] | undefined;
  readonly responseMessages?: readonly Item[] | undefined;
  readonly steps: readonly { readonly usage: unknown }[];
}

/** Fits `prepareStep` of `generateText`, `streamText` and agents, in versions 5, 6 and 7. */
export type PalimpsestPrepareStep = <Item extends AiSdkMessageLike>(
  step: AiSdkStep<Item>,
) => Promise<{ messages: Item[] }>;

/**
 * The same as {@link palimpsestMiddleware} for one call, as its `prepareStep`: each step is recorded in the session, and its folded view is what is sent.
 * It sees neither tools nor system prompt, and no refusals: pass both to the session, and take the middleware where you can.
 *
 * Each step is made of all that was said, never of what was sent before it: version 7 gives the messages of one step to the next.
 * @example
 * ```ts
 * import { createEngine } from "palimpsest";
 * import { palimpsestPrepareStep } from "palimpsest/ai-sdk";
 * const session = await createEngine({ model: "claude-sonnet-4-5" }).session("task-42", { systemPrompt: "Be brief." });
 * const prepareStep = palimpsestPrepareStep({ session }); // generateText({ model, tools, messages, prepareStep })
 * const sent = await prepareStep({ messages: [{ role: "user", content: "Why?" }], steps: [] });
 * console.log(sent); // { messages: [ { role: 'user', content: 'Why?' } ] }
 * ```
 */
export function palimpsestPrepareStep(options: PalimpsestPrepareStepOptions): PalimpsestPrepareStep {
  assertObject("options", options);
  const { session, onReport, onError = logError } = options;
  assertSession(session);
  checkCallbacks(options);
  let last: SentStep | undefined;
  return async <Item extends AiSdkMessageLike>(step: AiSdkStep<Item>) => {
    const usage = readAiSdkUsage(step.steps.at(-1)?.usage);
    if (step.steps.length === 0) last = undefined;
    if (last?.turn !== undefined && usage !== undefined) turnsOf(session).observe(last.turn, usage);
    const said = saidUntil(step, last);
    const folded = await unlessFailed(() => foldPrompt(session, { prompt: said, isWhole: false }), { onError });
    if (folded !== undefined) onReport?.(folded.turn.report);
    const sent = folded?.prompt ?? said;
    last = { said, sent, turn: folded?.turn };
    return { messages: sent.filter(isMessage<Item>) };
  };
}

/** A step that was sent. */
interface SentStep {
  readonly said: readonly AiSdkMessageLike[];
  readonly sent: readonly AiSdkMessageLike[];
  readonly turn: Turn | undefined;
}

/** All that was said: where the SDK gives what was sent to the next step, only what stands behind that is new. */
function saidUntil(step: AiSdkStep<AiSdkMessageLike>, last: SentStep | undefined): readonly AiSdkMessageLike[] {
  const { messages, initialMessages, responseMessages = [] } = step;
  if (last === undefined) return messages;
  const isCarried = last.sent.every((message, index) => message === messages[index]);
  if (isCarried) return [...last.said, ...messages.slice(last.sent.length)];
  return initialMessages === undefined ? messages : [...initialMessages, ...responseMessages];
}
