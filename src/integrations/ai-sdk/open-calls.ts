import type { Session } from "../../engine/session/session.ts";
import type { AiSdkMessageLike } from "../../messages/ai-sdk/ai-sdk-prompt.ts";
import { logError, unlessFailed } from "../shared/callbacks.ts";
import { foldPrompt, writeTurn } from "../shared/fold-ai-sdk-prompt.ts";
import { readAiSdkUsage } from "../shared/read-ai-sdk-usage.ts";
import { type Turn, turnsOf } from "../shared/session-turns.ts";
import { type PalimpsestMiddlewareOptions, sessionOf } from "./options.ts";

/** The parameters of a call of an AI SDK model, as far as we use them. */
export interface AiSdkCallParams {
  readonly prompt: readonly AiSdkMessageLike[];
  readonly tools?: readonly unknown[] | undefined;
  readonly providerOptions?: unknown;
  readonly abortSignal?: AbortSignal | undefined;
}

/** The calls in flight, each known by the parameters object that was sent. */
export interface OpenCalls {
  /** Records a call in its session and returns the parameters to send: the same object if nothing is folded. */
  begin<Params extends AiSdkCallParams>(params: Params): Promise<Params>;
  /** The parameters with a shorter prompt; undefined if the error does not say that it was too long, or it cannot be shorter. */
  shorten<Params extends AiSdkCallParams>(sent: Params, error: unknown): Promise<Params | undefined>;
  /** Gives the session the usage that the provider reported for a call. */
  observe(sent: object, usage: unknown): void;
}

/** A call whose prompt has been recorded. */
interface OpenCall {
  readonly session: Session;
  /** The prompt as it came. */
  readonly prompt: readonly AiSdkMessageLike[];
  readonly turn: Turn;
}

export function createOpenCalls(options: PalimpsestMiddlewareOptions): OpenCalls {
  const { onReport, onError = logError } = options;
  const calls = new WeakMap<object, OpenCall>();

  /** Registers a call under the object that is sent: the SDK passes the same object to all methods of a middleware. */
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
      const shorten = () => turnsOf(session).shorten(call.turn, error);
      // If nothing fits, the provider's own error is the one to throw.
      const turn = await unlessFailed(shorten, { onError, signal: sent.abortSignal }).catch(() => undefined);
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
