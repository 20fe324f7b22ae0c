import type { Session } from "../../engine/session/session.ts";
import type { AiSdkMessageLike } from "../../messages/ai-sdk/ai-sdk-prompt.ts";
import { type Turn, turnsOf } from "../shared/session-turns.ts";
import { unlessFailed } from "../shared/unless-failed.ts";
import { checkOptions, logError, type PalimpsestMiddlewareOptions, sessionOf } from "./options.ts";
import { foldPrompt, writeTurn } from "./sdk-turn.ts";
import { readUsage } from "./usage.ts";

/** What a model of the AI SDK is called with, as far as it matters here. */
export interface AiSdkCallParams {
  readonly prompt: readonly AiSdkMessageLike[];
  readonly tools?: readonly unknown[] | undefined;
  readonly providerOptions?: unknown;
  readonly abortSignal?: AbortSignal | undefined;
}

export interface AiSdkStreamPart {
  readonly type: string;
}

/** Fits `wrapLanguageModel` of versions 6 and 7. */
export interface PalimpsestMiddleware {
  /** Version 7 takes all of them. */
  readonly specificationVersion: "v3";
  transformParams<Params extends AiSdkCallParams>(options: { readonly params: Params }): Promise<Params>;
  wrapGenerate<Params extends AiSdkCallParams, Result extends { readonly usage: unknown }>(options: {
    readonly doGenerate: () => PromiseLike<Result>;
    readonly params: Params;
    readonly model: { doGenerate(params: Params): PromiseLike<Result> };
  }): Promise<Result>;
  wrapStream<
    Params extends AiSdkCallParams,
    Part extends AiSdkStreamPart,
    Result extends { readonly stream: ReadableStream<Part> },
  >(options: {
    readonly doStream: () => PromiseLike<Result & { readonly stream: ReadableStream<Part> }>;
    readonly params: Params;
    readonly model: { doStream(params: Params): PromiseLike<Result> };
  }): Promise<Result>;
}

/** A call whose prompt is recorded: what came, and the turn that is sent. */
interface OpenCall {
  readonly session: Session;
  readonly came: AiSdkCallParams;
  readonly turn: Turn;
}

/**
 * Keeps every prompt of a model inside its window: a middleware for `wrapLanguageModel` of the AI SDK, versions 6 and 7. Each call's messages
 * are recorded in a session, and what is sent is its folded view; the SDK's own history is never touched, and messages without folds go through as
 * the same objects. Usage is observed; a refusal as too long is learnt from, and the call is made once more with a shorter prompt.
 * @example
 * ```ts
 * import { createEngine } from "palimpsest";
 * import { palimpsestMiddleware } from "palimpsest/ai-sdk";
 * const session = await createEngine({ model: "claude-sonnet-4-5" }).session("task-42");
 * const middleware = palimpsestMiddleware({ session }); // wrapLanguageModel({ model: anthropic("claude-sonnet-4-5"), middleware })
 * await middleware.transformParams({ params: { prompt: [{ role: "user", content: [{ type: "text", text: "Why?" }] }] } });
 * console.log((await session.log()).length); // 1
 * ```
 */
export function palimpsestMiddleware(options: PalimpsestMiddlewareOptions): PalimpsestMiddleware {
  checkOptions(options);
  const { onError = logError } = options;
  const calls = new WeakMap<object, OpenCall>();

  function open<Params extends AiSdkCallParams>(sent: Params, call: OpenCall): Params {
    calls.set(sent, call);
    options.onReport?.(call.turn.report);
    return sent;
  }

  /** The same call with a shorter prompt, where the error says that it was too long. */
  async function shorter<Params extends AiSdkCallParams>(params: Params, error: unknown): Promise<Params | undefined> {
    const call = calls.get(params);
    if (call === undefined) return undefined;
    const { session, came } = call;
    const signal = params.abortSignal;
    return unlessFailed(
      async () => {
        const turn = await turnsOf(session).shorten(call.turn, error);
        if (turn === undefined) return undefined;
        const sent = Object.assign({}, params, { prompt: writeTurn(turn, came.prompt) });
        return open(sent, { session, came, turn });
      },
      { onError, signal },
    ).catch(() => undefined);
  }

  function observe(params: object, usage: unknown): void {
    const call = calls.get(params);
    const reported = readUsage(usage);
    if (call !== undefined && reported !== undefined) turnsOf(call.session).observe(call.turn, reported);
  }

  return {
    specificationVersion: "v3",
    async transformParams({ params }) {
      const { prompt, tools, providerOptions, abortSignal: signal } = params;
      const session = await sessionOf(options, providerOptions);
      const folded = await unlessFailed(() => foldPrompt(session, { prompt, tools, signal }), { onError, signal });
      if (folded === undefined) return params;
      const sent = folded.prompt === prompt ? params : Object.assign({}, params, { prompt: folded.prompt });
      return open(sent, { session, came: params, turn: folded.turn });
    },
    async wrapGenerate({ doGenerate, params, model }) {
      let sent = params;
      const result = await attempt(doGenerate, async (error) => {
        const again = await shorter(params, error);
        if (again === undefined) throw error;
        sent = again;
        return model.doGenerate(again);
      });
      observe(sent, result.usage);
      return result;
    },
    async wrapStream({ doStream, params, model }) {
      let sent = params;
      const result = await attempt(doStream, async (error) => {
        const again = await shorter(params, error);
        if (again === undefined) throw error;
        sent = again;
        return model.doStream(again);
      });
      const stream = result.stream.pipeThrough(watchUsage((usage) => observe(sent, usage)));
      return Object.assign({}, result, { stream });
    },
  };
}

async function attempt<Result>(
  first: () => PromiseLike<Result>,
  recover: (error: unknown) => Promise<Result>,
): Promise<Result> {
  try {
    return await first();
  } catch (error) {
    return recover(error);
  }
}

/** Passes all parts on, and reads the usage from the last. */
function watchUsage<Part extends AiSdkStreamPart>(onUsage: (usage: unknown) => void): TransformStream<Part, Part> {
  return new TransformStream({
    transform(part, controller) {
      if (part.type === "finish" && "usage" in part) onUsage(part.usage);
      controller.enqueue(part);
    },
  });
}
