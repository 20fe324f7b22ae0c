import { describeError } from "../../core/describe-error.ts";
import { asArray } from "../../core/json/read-json.ts";
import type { Session } from "../../engine/session/session.ts";
import { readLangChainMessage } from "../../messages/langchain/from-langchain.ts";
import type { LangChainMessageLike } from "../../messages/langchain/langchain-prompt.ts";
import { writeViewMessage } from "../../messages/langchain/write-message.ts";
import { type Turn, turnsOf } from "../shared/session-turns.ts";
import { unlessFailed } from "../shared/unless-failed.ts";
import type { ViewPlace } from "../shared/view-places.ts";
import { describeTools } from "./describe-tools.ts";
import { type LangChainCore, loadLangChainCore } from "./load-core.ts";
import { checkOptions, type PalimpsestMiddlewareOptions } from "./options.ts";
import { readUsage } from "./read-usage.ts";
import { sessionIdOf } from "./session-id.ts";

/** What a middleware of LangChain's is given for a call of the model, as far as it matters here. */
export interface LangChainModelRequest {
  readonly messages: readonly LangChainMessageLike[];
  readonly systemPrompt?: string | undefined;
  readonly tools?: readonly object[] | undefined;
  readonly runtime: {
    readonly configurable?: object | undefined;
    readonly signal?: AbortSignal | undefined;
  };
}

/** Fits `middleware` of `createAgent`. Of its own types, so that nobody needs LangChain's to read ours. */
export interface PalimpsestMiddleware {
  name: string;
  wrapModelCall<Request extends LangChainModelRequest, Reply extends object>(
    request: Request,
    handler: (request: Request) => Reply | Promise<Reply>,
  ): Promise<Reply>;
}

/**
 * A middleware for `createAgent` that keeps every prompt inside the window. The agent's state keeps all messages; only what a call of the model
 * sends is folded, and messages without folds go through as the same objects. Usage is observed; a refusal as too long is learnt from, and the call is
 * made once more with a shorter prompt. Put it first among the middlewares: the others then see what is sent.
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
      // Whatever keeps us from shortening it, the refusal is what the caller has to know.
      const shorter = await attempt(() => turns.shorten(turn, error)).catch(() => undefined);
      if (shorter === undefined) throw error;
      turn = shorter;
      return send(turn);
    });
    // The model has answered: nothing takes that back.
    await attempt(() => noteReply(call.session, turn, reply)).catch(onError);
    return reply;
  };
  return { name: "Palimpsest", wrapModelCall };
}

/** A call whose messages are recorded: the turn that is sent for it. */
interface OpenCall {
  readonly session: Session;
  readonly core: LangChainCore;
  readonly turn: Turn;
}

/** Undefined for a prompt that is not of the conversation. */
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

/** Messages without folds are LangChain's own, with all that its packages keep on them. */
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
  // With a structured response, what the model said is the first of a list; the next call has all of it.
  const [said, isAlone] = "messages" in reply ? [asArray(reply.messages)[0], false] : [reply, true];
  const usage = readUsage(said);
  if (usage !== undefined) turnsOf(session).observe(turn, usage);
  if (isAlone) await turnsOf(session).record(turn, readLangChainMessage(said, "reply"));
}

function logError(error: unknown): void {
  console.error(`palimpsest: the messages were sent as LangChain had them: ${describeError(error)}`);
}
