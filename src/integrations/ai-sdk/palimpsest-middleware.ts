import { type AiSdkCallParams, createOpenCalls, type OpenCalls } from "./open-calls.ts";
import { checkOptions, type PalimpsestMiddlewareOptions } from "./options.ts";
import { type AiSdkStreamPart, openStream, watchUsage } from "./stream-head.ts";

/** A middleware for `wrapLanguageModel` of versions 6 and 7. */
export interface PalimpsestMiddleware {
  /** Version 7 takes a middleware of any specification version. */
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

/**
 * Keeps every prompt of a model inside its window: a middleware for `wrapLanguageModel` of the AI SDK, versions 6 and 7. It records each call's
 * messages in a session and sends the folded view. The SDK's own history is never touched, and messages without folds are sent as the same objects.
 * It observes the reported usage; if the provider refuses a prompt as too long, it learns the limit and sends the call once more, shorter.
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
  const calls = createOpenCalls(options);
  return {
    specificationVersion: "v3",
    transformParams: ({ params }) => calls.begin(params),
    async wrapGenerate({ doGenerate, params, model }) {
      const send = (shorter: typeof params) => model.doGenerate(shorter);
      const { sent, result } = await sendWithRetry(calls, { params, first: doGenerate, send });
      calls.observe(sent, result.usage);
      return result;
    },
    async wrapStream({ doStream, params, model }) {
      const send = (shorter: typeof params) => model.doStream(shorter);
      const { sent, result } = await sendWithRetry(calls, { params, first: doStream, send });
      const { stream, failure } = await openStream(result.stream);
      const shorter = failure === undefined || sent !== params ? undefined : await calls.shorten(sent, failure.error);
      if (shorter === undefined) return withUsageObserved(calls, sent, Object.assign({}, result, { stream }));
      await stream.cancel();
      return withUsageObserved(calls, shorter, await send(shorter));
    },
  };
}

interface Sending<Params, Result> {
  readonly params: Params;
  readonly first: () => PromiseLike<Result>;
  readonly send: (shorter: Params) => PromiseLike<Result>;
}

/** Sends a call, and sends it once more with a shorter prompt if the provider refuses it as too long. */
async function sendWithRetry<Params extends AiSdkCallParams, Result>(
  calls: OpenCalls,
  { params, first, send }: Sending<Params, Result>,
): Promise<{ readonly sent: Params; readonly result: Result }> {
  try {
    return { sent: params, result: await first() };
  } catch (error) {
    const shorter = await calls.shorten(params, error);
    if (shorter === undefined) throw error;
    return { sent: shorter, result: await send(shorter) };
  }
}

/** The result with a stream whose usage is observed when it ends. */
function withUsageObserved<Part extends AiSdkStreamPart, Result extends { readonly stream: ReadableStream<Part> }>(
  calls: OpenCalls,
  sent: object,
  result: Result,
): Result {
  const stream = result.stream.pipeThrough(watchUsage<Part>((usage) => calls.observe(sent, usage)));
  return Object.assign({}, result, { stream });
}
