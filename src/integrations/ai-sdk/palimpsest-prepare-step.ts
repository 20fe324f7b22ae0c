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

/** What the SDK passes to `prepareStep`, as far as we use it. */
export interface AiSdkStep<Item extends AiSdkMessageLike> {
  readonly messages: readonly Item[];
  /** Only in version 7: the messages that the call began with, and those since. */
  readonly initialMessages?: readonly Item[] | undefined;
  readonly responseMessages?: readonly Item[] | undefined;
  readonly steps: readonly { readonly usage: unknown }[];
}

/** A `prepareStep` for `generateText`, `streamText` and agents, in versions 5, 6 and 7. */
export type PalimpsestPrepareStep = <Item extends AiSdkMessageLike>(
  step: AiSdkStep<Item>,
) => Promise<{ messages: Item[] }>;

/**
 * Does for one call, as its `prepareStep`, what {@link palimpsestMiddleware} does for a model: it records each step in the session and sends the folded
 * view. It sees neither tools nor system prompt, so pass both to the session, and no refusals: use the middleware where you can.
 *
 * Each step is folded anew from the original messages, although version 7 passes the sent messages of one step on to the next.
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
    const original = originalMessages(step, last);
    const folded = await unlessFailed(() => foldPrompt(session, { prompt: original, isWhole: false }), { onError });
    if (folded !== undefined) onReport?.(folded.turn.report);
    const sent = folded?.prompt ?? original;
    last = { original, sent, turn: folded?.turn };
    return { messages: sent.filter(isMessage<Item>) };
  };
}

/** A step that was sent: its messages before folding, and as they were sent. */
interface SentStep {
  readonly original: readonly AiSdkMessageLike[];
  readonly sent: readonly AiSdkMessageLike[];
  readonly turn: Turn | undefined;
}

/** The messages of a step before any folding. If the SDK passed on what the last step sent, only the messages behind that are new. */
function originalMessages(step: AiSdkStep<AiSdkMessageLike>, last: SentStep | undefined): readonly AiSdkMessageLike[] {
  const { messages, initialMessages, responseMessages = [] } = step;
  if (last === undefined) return messages;
  const isCarried = last.sent.every((message, index) => message === messages[index]);
  if (isCarried) return [...last.original, ...messages.slice(last.sent.length)];
  return initialMessages === undefined ? messages : [...initialMessages, ...responseMessages];
}
