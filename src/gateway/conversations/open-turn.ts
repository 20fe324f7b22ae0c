import type { ModelRegistry } from "../../core/models/registry.ts";
import type { TooLong } from "../../core/policy/too-long.ts";
import type { ReplyFollower } from "../../core/ports/wire-adapter.ts";
import type { RequestActivity } from "../activity.ts";
import type { Turn, TurnOutcome } from "../turn.ts";
import type { Carried } from "./carry.ts";
import { costsOf, promptTokensOf } from "./costs.ts";
import type { Conversation } from "./desk.ts";
import { type Asked, foldTurn } from "./fold-turn.ts";
import type { Heard } from "./heard.ts";
import { locate, placeOfItsOwn } from "./locate.ts";
import { type RecordPorts, record } from "./record.ts";

/** How a request is first sent. */
export interface TurnStart {
  readonly carried: Carried;
  /** The session that it belongs to; undefined where it belongs to none. */
  readonly conversation: Conversation | undefined;
  /** Gives the session once the request is written to its log; undefined where that is done, or never will be. */
  readonly recording: Promise<Conversation | undefined> | undefined;
  /** How its session stands to it: what is sent is its view, its log at least holds it, or it has none. */
  readonly footing: "view" | "log" | "none";
}

export interface TurnContext extends TurnStart, Asked {
  readonly heard: Heard;
  readonly startedAt: number;
}

export interface TurnPorts extends RecordPorts {
  readonly registry: ModelRegistry;
  readonly incident: (what: string, error: unknown) => void;
}

/** After each refusal, what is sent by our own count is at most this share of what was sent before. */
const SHORTER_SHARE = 0.85;
const MAX_RETRIES = 3;

/** A turn whose request is about to be sent. */
export function openTurn(context: TurnContext, ports: TurnPorts): Turn {
  const { heard, adapter, model, limits, startedAt } = context;
  const { request } = heard;
  const { now, desk } = ports;
  let { carried, conversation, footing } = context;
  let newFoldIds = carried.newFoldIds;
  let retries = 0;
  let follower: ReplyFollower = adapter.followReply();
  const addedMs = now() - startedAt;
  const mark = Symbol(model.modelId);
  conversation?.underWay.set(mark, heard.messages.length);

  /** The session that this request can be folded in. */
  async function settle(): Promise<Conversation> {
    const recorded = await context.recording;
    if (recorded !== undefined) return recorded;
    if (footing !== "none" && conversation !== undefined) return conversation;
    const place = await locate(heard, ports);
    return (await record(heard, await placeOfItsOwn(heard, place, ports.store), ports)).conversation;
  }

  async function shorten(refusal: TooLong & { readonly isTooLong: true }): Promise<string | undefined> {
    const sentBody = carried.body ?? request.raw.body;
    limits.refused(model, refusal, { tokens: carried.tokensSent, bytes: sentBody.length });
    if (retries >= MAX_RETRIES) return undefined;
    retries += 1;
    const settled = await settle();
    settled.underWay.set(mark, heard.messages.length);
    const isByTokens = refusal.by === "tokens";
    const mostTokens = isByTokens ? Math.floor(carried.tokensSent * SHORTER_SHARE ** retries) : undefined;
    const shorter = await foldTurn(heard, settled, { ...context, mostTokens });
    conversation = settled;
    if (shorter.body === undefined || shorter.body.length >= sentBody.length) return undefined;
    carried = shorter;
    footing = "view";
    newFoldIds = [...newFoldIds, ...shorter.newFoldIds];
    follower = adapter.followReply();
    return shorter.body;
  }

  /** What the reply reports teaches the session, and the next guess. */
  async function learn({ status = 0 }: TurnOutcome): Promise<void> {
    const usage = follower.usage();
    const recorded = (await context.recording) ?? conversation;
    if (recorded === undefined || status >= 300) return;
    const promptTokens = usage === undefined ? carried.tokensSent : promptTokensOf(usage);
    if (usage !== undefined) limits.accepted(model, promptTokens);
    recorded.last = {
      bodyLength: request.raw.body.length,
      promptTokens: carried.body === undefined ? promptTokens : carried.tokensIn,
      toolCount: request.tools.length,
    };
    if (footing === "view" && usage !== undefined) (await recorded.session()).observe(usage);
  }

  function activity({ status, isComplete }: TurnOutcome): RequestActivity {
    const usage = follower.usage();
    const hiddenTokens = Math.max(0, carried.tokensIn - carried.tokensSent);
    const tokensSent = usage === undefined ? carried.tokensSent : promptTokensOf(usage);
    const { operation, isStreaming } = request;
    return {
      type: "request",
      at: now(),
      startedAt,
      api: model.api,
      operation,
      modelId: model.modelId,
      sessionId: conversation?.id,
      status,
      isStreaming,
      isComplete,
      tokensIn: tokensSent + hiddenTokens,
      tokensSent,
      foldIds: newFoldIds,
      retries,
      addedMs,
      usage,
      ...costsOf(ports.registry.find(model.modelId), usage, hiddenTokens),
    };
  }

  return {
    modelId: model.modelId,
    isStreaming: request.isStreaming,
    body: carried.body,
    headers: () => ({
      ...(conversation === undefined ? {} : { "x-palimpsest-session": conversation.id }),
      "x-palimpsest-tokens-in": String(carried.tokensIn),
      "x-palimpsest-tokens-sent": String(carried.tokensSent),
      "x-palimpsest-folds": String(carried.foldCount),
    }),
    shorten,
    get follower() {
      return follower;
    },
    end: (outcome) => {
      ports.feed.publish(activity(outcome));
      learn(outcome)
        .catch((error) => ports.incident("learn", error))
        .finally(() => {
          conversation?.underWay.delete(mark);
          context.conversation?.underWay.delete(mark);
          desk.tidy();
        });
    },
  };
}
