import type { Session } from "../../engine/session/session.ts";
import type { AiSdkMessageLike } from "../../messages/ai-sdk/ai-sdk-prompt.ts";
import { logError, unlessFailed } from "../shared/callbacks.ts";
import { foldPrompt, writeTurn } from "../shared/fold-ai-sdk-prompt.ts";
import { readAiSdkUsage } from "../shared/read-ai-sdk-usage.ts";
import { type Turn, turnsOf } from "../shared/session-turns.ts";
import { type PalimpsestMiddlewareOptions, sessionOf } from "./options.ts";

/** What a model of the AI SDK is called with, as far as it matters here. */
export interface AiSdkCallParams {
  readonly prompt: readonly AiSdkMessageLike[];
  readonly tools?: readonly unknown[] | undefined;
  readonly providerOptions?: unknown;
  readonly abortSignal?: AbortSignal | undefined;
}

/** The calls that are on their way, by what they are sent with. */
export interface OpenCalls {
  /** Records a call, and gives what to send for it: the same object where nothing is folded. */
  begin<Params extends AiSdkCallParams>(params: Params): Promise<Params>;
  /** The same call with a shorter prompt, where the error says that it was too long. */
  shorten<Params extends AiSdkCallParams>(sent: Params, error: unknown): Promise<Params | undefined>;
  /** Tells the session what the provider counted. */
  observe(sent: object, usage: unknown): void;
}

/** A call whose prompt is recorded. */
interface OpenCall {
  readonly session: Session;
  /** The prompt as it came. */
  readonly prompt: readonly AiSdkMessageLike[];
  readonly turn: Turn;
}

export function createOpenCalls(options: PalimpsestMiddlewareOptions): OpenCalls {
  const { onReport, onError = logError } = options;
  const calls = new WeakMap<object, OpenCall>();

  /** A call is known by the object that it is sent with: the SDK hands that on. */
  function open<Params extends AiSdkCallParams>(sent: Params, call: OpenCall): Params {
    calls.set(sent, call);
    onReport?.(call.turn.report);
    return sent;
  }

  return {
    async begin(params) {
      const { prompt, tools, providerOptions, abortSignal: signal } = params;
      const session = await sessionOf(options, providerOptions);
      const folded = await unlessFailed(() => foldPrompt(session, { prompt, tools, signal }), { onError, signal });
      if (folded === undefined) return params;
      const sent = folded.prompt === prompt ? params : Object.assign({}, params, { prompt: folded.prompt });
      return open(sent, { session, prompt, turn: folded.turn });
    },
    async shorten(sent, error) {
      const call = calls.get(sent);
      if (call === undefined) return undefined;
      const { session, prompt } = call;
      const shortened = () => turnsOf(session).shorten(call.turn, error);
      // Where nothing fits, the provider's own error says it better.
      const turn = await unlessFailed(shortened, { onError, signal: sent.abortSignal }).catch(() => undefined);
      if (turn === undefined) return undefined;
      return open(Object.assign({}, sent, { prompt: writeTurn(turn, prompt) }), { session, prompt, turn });
    },
    observe(sent, usage) {
      const call = calls.get(sent);
      const reported = readAiSdkUsage(usage);
      if (call !== undefined && reported !== undefined) turnsOf(call.session).observe(call.turn, reported);
    },
  };
}
