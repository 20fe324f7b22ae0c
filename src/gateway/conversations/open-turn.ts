import { PalimpsestError } from "../../core/errors.ts";
import type { ModelRegistry } from "../../core/models/registry.ts";
import type { TooLong } from "../../core/policy/too-long.ts";
import type { ReplyFollower } from "../../core/ports/wire-adapter.ts";
import type { Engine } from "../../engine/engine.ts";
import type { RequestActivity } from "../activity.ts";
import { promptTokensOf } from "../prompt-tokens-of.ts";
import type { Turn, TurnOutcome } from "../turn.ts";
import { roomFor } from "./beside.ts";
import { calibrate } from "./calibrate.ts";
import type { Carried } from "./carry.ts";
import { costsOf } from "./costs.ts";
import type { Conversation } from "./desk.ts";
import { type Asked, foldOnce, foldTurn } from "./fold-turn.ts";
import type { Heard } from "./heard.ts";
import { locate } from "./locate.ts";
import { type RecordPorts, record } from "./record.ts";

/** How a request is first sent. */
export interface TurnStart {
  readonly carried: Carried;
  /** The session that it belongs to; undefined where it belongs to none. */
  readonly conversation: Conversation | undefined;
  /** Writes the request to a log, and gives its session; undefined where that is done, or never will be. */
  readonly recordIt: (() => Promise<Conversation | undefined>) | undefined;
  /** How its session stands to it: what is sent is its view, its log at least holds it, or it has none. */
  readonly footing: "view" | "log" | "none";
}

export interface TurnContext extends TurnStart, Asked {
  readonly heard: Heard;
  readonly startedAt: number;
}

export interface TurnPorts extends RecordPorts {
  /** An engine without a store, for what is not to be kept. */
  readonly scratch: Engine;
  readonly registry: ModelRegistry;
  /** Told what failed, never what was said. */
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
  let isEnded = false;
  const addedMs = now() - startedAt;
  let recorded: Promise<void> | undefined;

  function recordOnce(): Promise<void> | undefined {
    if (recorded !== undefined || context.recordIt === undefined) return recorded;
    recorded = context.recordIt().then((settled) => {
      if (settled !== undefined) moveTo(settled);
    });
    desk.track(recorded);
    return recorded;
  }

  /** It may turn out to belong elsewhere: then nobody waits for it where it was. */
  function moveTo(settled: Conversation): void {
    if (settled !== conversation) conversation?.underWay.delete(heard.mark);
    conversation = settled;
  }

  /** Folds the request harder: in its session where it has one that still ends with it. */
  async function foldTo(budgetTokens: number | undefined): Promise<Carried | undefined> {
    await recordOnce();
    const place = footing === "none" ? undefined : await locate(heard, ports);
    if (place?.type !== "continue") return foldAlone(budgetTokens);
    const outcome = await record(heard, place, {
      ...ports,
      use: async (settled) => {
        const folded = await foldTurn(heard, settled.conversation, { ...ports, ...context, budgetTokens });
        return folded && { folded, settled: settled.conversation };
      },
    });
    if (outcome.type === "replay") return foldAlone(budgetTokens);
    const { settled, folded } = outcome.value;
    moveTo(settled);
    footing = "view";
    if (isEnded) settled.underWay.delete(heard.mark);
    return folded;
  }

  /** What is sent then is not its session's view: what the reply reports says nothing about that. */
  function foldAlone(budgetTokens: number | undefined): Promise<Carried | undefined> {
    footing = "none";
    return foldOnce(heard, ports.scratch, { ...context, budgetTokens });
  }

  /** Where the store fails, what is to be sent can be shortened all the same. */
  async function foldSafely(budgetTokens: number | undefined): Promise<Carried | undefined> {
    try {
      return await foldTo(budgetTokens);
    } catch (error) {
      if (isCannotFit(error)) throw error;
      ports.incident("shorten", error);
      return foldAlone(budgetTokens);
    }
  }

  async function shorten(refusal: TooLong & { readonly isTooLong: true }): Promise<string | undefined> {
    const sentBytes = carried.body === undefined ? heard.body.length : Buffer.byteLength(carried.body);
    limits.refused(model, refusal, { tokens: carried.tokensSent, bytes: sentBytes });
    if (retries >= MAX_RETRIES) return undefined;
    retries += 1;
    // What went as it came was not counted: the upstream may know better. What was folded was.
    const reported = carried.body === undefined ? (refusal.promptTokens ?? 0) : 0;
    const most = Math.floor(Math.max(carried.tokensSent, reported) * SHORTER_SHARE ** retries);
    const budgets = [context.budgetTokens, refusal.by === "tokens" ? most : undefined];
    const shorter = await foldSafely(smallest(budgets)).catch(unlessNothingFits);
    if (shorter?.body === undefined || Buffer.byteLength(shorter.body) >= sentBytes) return undefined;
    carried = shorter;
    newFoldIds = [...newFoldIds, ...shorter.newFoldIds];
    follower = adapter.followReply();
    return shorter.body;
  }

  /** What the reply reports teaches the session, and the next guess. */
  async function learn({ status = 0 }: TurnOutcome): Promise<void> {
    const promptTokens = reportedTokens();
    if (promptTokens === undefined || status >= 300) return;
    limits.accepted(model, promptTokens);
    await recordOnce();
    if (conversation === undefined || footing === "none") return;
    const reported = conversation;
    const bodyBytes = heard.body.length;
    const hasTools = request.tools.length > 0;
    reported.last = { bodyBytes, promptTokens: promptTokens + hiddenTokens(), hasTools };
    const room = roomFor(request, limits.of(model), context.budgetTokens);
    await reported.inTurn(() => calibrate(heard, reported, { room, promptTokens }));
  }

  /** Some servers report a prompt of no tokens: that is no report. */
  function reportedTokens(): number | undefined {
    const usage = follower.usage();
    return (usage && promptTokensOf(usage)) || undefined;
  }

  function hiddenTokens(): number {
    return Math.max(0, carried.tokensIn - carried.tokensSent);
  }

  async function finish(outcome: TurnOutcome): Promise<void> {
    await recordOnce();
    await learn(outcome).catch((error) => ports.incident("learn", error));
    conversation?.underWay.delete(heard.mark);
    desk.tidy();
  }

  function activity({ status, isComplete }: TurnOutcome): RequestActivity {
    const usage = follower.usage();
    const tokensSent = reportedTokens() ?? carried.tokensSent;
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
      tokensIn: tokensSent + hiddenTokens(),
      tokensSent,
      foldIds: newFoldIds,
      retries,
      addedMs,
      usage,
      ...costsOf(ports.registry.find(model.modelId), usage, hiddenTokens()),
    };
  }

  return {
    modelId: model.modelId,
    isStreaming: request.isStreaming,
    body: carried.body,
    headers: () => {
      // Not before: writing must not hold up what is on its way.
      setImmediate(recordOnce);
      return {
        ...(conversation === undefined ? {} : { "x-palimpsest-session": conversation.id }),
        "x-palimpsest-tokens-in": String(carried.tokensIn),
        "x-palimpsest-tokens-sent": String(carried.tokensSent),
        "x-palimpsest-folds": String(carried.foldCount),
      };
    },
    shorten,
    get follower() {
      return follower;
    },
    end: (outcome) => {
      isEnded = true;
      ports.feed.publish(activity(outcome));
      desk.track(finish(outcome));
    },
  };
}

function smallest(budgets: readonly (number | undefined)[]): number | undefined {
  const given = budgets.filter((budget) => budget !== undefined);
  return given.length === 0 ? undefined : Math.min(...given);
}

/** Where system prompt and tools alone are too long there is nothing to shorten: the upstream says so itself. */
export function unlessNothingFits(error: unknown): undefined {
  if (!isCannotFit(error)) throw error;
}

function isCannotFit(error: unknown): boolean {
  return error instanceof PalimpsestError && error.code === "cannot-fit";
}
