import { describeError } from "../../core/describe-error.ts";
import { asArray, asTokens, fieldAt } from "../../core/json/read-json.ts";
import type { ReportedUsage } from "../../core/tokens/forecast.ts";
import type { Session } from "../../engine/session/session.ts";
import { readLangChainMessage } from "../../messages/langchain/from-langchain.ts";
import type { LangChainMessageLike } from "../../messages/langchain/langchain-prompt.ts";
import { writeViewMessage } from "../../messages/langchain/to-langchain.ts";
import { unlessFailed } from "../shared/callbacks.ts";
import { loadPackage } from "../shared/load-package.ts";
import { type Turn, turnsOf } from "../shared/session-turns.ts";
import type { ViewPlace } from "../shared/view-places.ts";
import { checkOptions, type PalimpsestMiddlewareOptions } from "./options.ts";
import { sessionIdOf } from "./session-id.ts";

/** What LangChain passes to a middleware for a call of the model, as far as we use it. */
export interface LangChainModelRequest {
  readonly messages: readonly LangChainMessageLike[];
  readonly systemPrompt?: string | undefined;
  readonly tools?: readonly object[] | undefined;
  readonly runtime: {
    readonly configurable?: object | undefined;
    readonly signal?: AbortSignal | undefined;
  };
}

/** A middleware for `createAgent`, declared here so that our types do not need LangChain's. */
export interface PalimpsestMiddleware {
  name: string;
  wrapModelCall<Request extends LangChainModelRequest, Reply extends object>(
    request: Request,
    handler: (request: Request) => Reply | Promise<Reply>,
  ): Promise<Reply>;
}

/**
 * A middleware for `createAgent` that keeps every prompt inside the window. The agent's state keeps all messages; only what a call of the model
 * sends is folded, and messages without folds are sent as the same objects. Usage is observed; if the provider refuses a prompt as too long, the limit
 * is learnt and the call is sent once more, shorter. Put it first among the middlewares: the others then see what is sent.
 * @example
 * ```ts
 * import { createEngine } from "palimpsest";
 * import { palimpsestMiddleware } from "palimpsest/langchain";
 * const engine = createEngine({ model: "claude-sonnet-4-5" });
 * const middleware = [palimpsestMiddleware({ engine })]; // createAgent({ model, tools, middleware })
 * console.log(middleware[0]?.name); // Palimpsest
 * ```
 */
export function palimpsestMiddleware(options: PalimpsestMiddlewareOptions): PalimpsestMiddleware {
  checkOptions(options);
  const { onReport, onError = logError } = options;
  const wrapModelCall: PalimpsestMiddleware["wrapModelCall"] = async (request, handler) => {
    const { signal } = request.runtime;
    const attempt = <Value>(operation: () => Promise<Value>) => unlessFailed(operation, { onError, signal });
    const call = await attempt(() => openCall(options, request));
    if (call === undefined) return handler(request);
    const send = async (turn: Turn) => {
      onReport?.(turn.report);
      const messages = await attempt(async () => writePlaces(turn.places, request.messages, call.core));
      return handler(messages === undefined ? request : Object.assign({}, request, { messages }));
    };
    const turns = turnsOf(call.session);
    let turn = call.turn;
    const reply = await send(turn).catch(async (error: unknown) => {
      // If shortening fails, the caller gets the provider's refusal and not our error.
      const shorter = await attempt(() => turns.shorten(turn, error)).catch(() => undefined);
      if (shorter === undefined) throw error;
      turn = shorter;
      return send(turn);
    });
    // The model has answered: no error of ours may lose its reply.
    await attempt(() => noteReply(call.session, turn, reply)).catch(onError);
    return reply;
  };
  return { name: "Palimpsest", wrapModelCall };
}

/** A call whose messages have been recorded, and the turn to send for it. */
interface OpenCall {
  readonly session: Session;
  readonly core: LangChainCore;
  readonly turn: Turn;
}

/** Records a call's messages in their session and folds them; undefined for a prompt that does not belong to the conversation. */
async function openCall(
  options: PalimpsestMiddlewareOptions,
  request: LangChainModelRequest,
): Promise<OpenCall | undefined> {
  const core = await loadLangChainCore();
  const { messages, systemPrompt = "", tools, runtime } = request;
  const session = options.session ?? (await options.engine.session(sessionIdOf(request)));
  const turn = await turnsOf(session).begin({
    messages: messages.map((message, index) => readLangChainMessage(message, `messages[${index}]`)),
    systemPrompt,
    tools: describeTools(tools, core),
    signal: runtime.signal,
  });
  return turn && { session, core, turn };
}

/** The messages to send for a view. Messages without folds are LangChain's own objects, with everything that its packages keep on them. */
function writePlaces(
  places: readonly ViewPlace[],
  messages: readonly LangChainMessageLike[],
  core: LangChainCore,
): LangChainMessageLike[] {
  return places.flatMap((place): readonly LangChainMessageLike[] => {
    if (place.type === "original") return messages.slice(place.index, place.index + 1);
    const message = place.type === "folded" ? place.shown : place.message;
    return writeViewMessage(message).map((written) => core.coerceMessageLikeToMessage(written));
  });
}

async function noteReply(session: Session, turn: Turn, reply: object): Promise<void> {
  // With a structured response, the model's message is the first of a list: the next call repeats the whole list, and records it.
  const [message, isAlone] = "messages" in reply ? [asArray(reply.messages)[0], false] : [reply, true];
  const usage = readUsage(message);
  if (usage !== undefined) turnsOf(session).observe(turn, usage);
  if (isAlone) await turnsOf(session).record(turn, readLangChainMessage(message, "reply"));
}

function logError(error: unknown): void {
  console.error(`palimpsest: the messages were sent as LangChain had them: ${describeError(error)}`);
}

/** Descriptions by tool, which stays the same object for as long as its agent lives. */
const descriptions = new WeakMap<object, object>();

/** The tools as they are sent, for counting: their length is about the same on every wire. A provider's own tool is its own description. */
function describeTools(tools: readonly object[] | undefined, core: LangChainCore): readonly object[] {
  return (tools ?? []).map((tool) => {
    const description = descriptions.get(tool) ?? describe(tool, core);
    descriptions.set(tool, description);
    return description;
  });
}

function describe(tool: object, { convertToOpenAITool }: LangChainCore): object {
  return "schema" in tool ? convertToOpenAITool(tool) : tool;
}

/** The usage that the provider reported for a call; undefined if there is none. LangChain's input count includes cached tokens. */
function readUsage(reply: unknown): ReportedUsage | undefined {
  const tokensAt = (...path: readonly string[]) => asTokens(fieldAt(reply, "usage_metadata", ...path));
  const promptTokens = tokensAt("input_tokens");
  const cacheReadTokens = tokensAt("input_token_details", "cache_read");
  const cacheWriteTokens = tokensAt("input_token_details", "cache_creation");
  const reasoningTokens = tokensAt("output_token_details", "reasoning");
  const inputTokens = promptTokens - cacheReadTokens - cacheWriteTokens;
  if (promptTokens === 0 || inputTokens < 0) return undefined;
  const outputTokens = Math.max(0, tokensAt("output_tokens") - reasoningTokens);
  return { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens, reasoningTokens };
}

/** What the middleware uses of `@langchain/core`, which every LangChain agent has installed. */
interface LangChainCore {
  readonly coerceMessageLikeToMessage: typeof import("@langchain/core/messages").coerceMessageLikeToMessage;
  readonly convertToOpenAITool: typeof import("@langchain/core/utils/function_calling").convertToOpenAITool;
}

let loaded: Promise<LangChainCore> | undefined;

/** Loads the package with the first call of a model, so that importing this folder does not need it. */
function loadLangChainCore(): Promise<LangChainCore> {
  loaded ??= loadPackage("@langchain/core", async () => {
    const [{ coerceMessageLikeToMessage }, { convertToOpenAITool }] = await Promise.all([
      import("@langchain/core/messages"),
      import("@langchain/core/utils/function_calling"),
    ]);
    return { coerceMessageLikeToMessage, convertToOpenAITool };
  });
  return loaded;
}
