import { condenseDefaults } from "../../core/models/registry.ts";
import type { WireAdapter, WireName } from "../../core/ports/wire-adapter.ts";
import { allowedTokens } from "../../core/tokens/budget.ts";
import { countMessagesTokens } from "../../core/tokens/count-messages.ts";
import type { ThresholdsConfiguration } from "../../engine/configuration/configuration.ts";
import { rawRequestOf } from "../bodies/raw-request.ts";
import { createRecentBodies } from "../bodies/recent-bodies.ts";
import type { AgentRequest, Turn, Turns } from "../turn.ts";
import { roomFor } from "./beside.ts";
import { byteLimits, type Carried, carriedAsItCame, carriedByReplay } from "./carry.ts";
import type { LastRequest } from "./desk.ts";
import { type Asked, foldOnce, foldTurn } from "./fold-turn.ts";
import { type Heard, hear, withoutLast } from "./heard.ts";
import type { AskedModel, LearnedLimits } from "./limits.ts";
import { locate } from "./locate.ts";
import { openTurn } from "./open-turn.ts";
import { besideText, overheadTokens } from "./overhead-tokens.ts";
import type { Place } from "./place.ts";
import { record, type UseRecorded } from "./record.ts";
import { scopeOf } from "./scope.ts";
import { unlessNothingFits } from "./shorten-turn.ts";
import { hasCalls } from "./telling.ts";
import type { TurnPorts, TurnStart } from "./turn-course.ts";
import { isFolded, spokenMessages } from "./wire-view.ts";

export interface TurnsOptions extends TurnPorts {
  /** When to fold, as it is configured now. */
  readonly thresholds: () => ThresholdsConfiguration;
  readonly limits: LearnedLimits;
  readonly adapters: Readonly<Record<WireName, WireAdapter>>;
}

/** Below this share of what is folded at, a prompt surely needs no fold: by its size, and where it was counted. */
const SURE_SHARE = 0.85;
const SURELY_COUNTED_SHARE = 0.95;
/** Hardly any text has more. */
const MOST_TOKENS_PER_BYTE = 0.75;

/** Matches requests with sessions, and folds them. */
export function createTurns(options: TurnsOptions): Turns {
  const { adapters, limits, incident } = options;
  const bodies = createRecentBodies();

  async function begin(agentRequest: AgentRequest): Promise<Turn | undefined> {
    const { api, headers, upstream } = agentRequest;
    const startedAt = options.now();
    const adapter = adapters[api];
    const raw = rawRequestOf(agentRequest, { bodies, sessionId: scopeOf(headers, undefined)?.id });
    const request = raw && adapter.readRequest(raw);
    if (request === undefined) return undefined;
    const model: AskedModel = { api, upstream, modelId: request.modelId };
    const asked: Asked = { model, adapter, limits, budgetTokens: budgetIn(headers["x-palimpsest-budget"]) };
    const heard = hear(request, agentRequest);
    const start = await firstStep(heard, asked)
      .catch(unlessNothingFits)
      .catch((error) => {
        incident("begin", error);
      });
    const asItCame = { carried: carriedAsItCame(heard), conversation: undefined, recordIt: undefined } as const;
    // Should it be too long, the upstream says so, and it is shortened then.
    return openTurn({ ...(start ?? { ...asItCame, footing: "none" }), ...asked, heard, startedAt }, options);
  }

  async function firstStep(heard: Heard, asked: Asked): Promise<TurnStart> {
    const place = await locate(heard, options);
    const isCount = heard.request.operation === "count-tokens";
    if (isCount || place.type === "replay" || isSide(heard, place)) return withoutRecord(heard, place, asked);
    const carried = asked.budgetTokens === undefined ? carriedSurely(heard, place, asked) : undefined;
    if (carried !== undefined) return whileItIsSent(heard, place, carried);
    const outcome = await record(heard, place, {
      ...options,
      use: async ({ conversation }): Promise<TurnStart | undefined> => {
        const carried = await foldTurn(heard, conversation, { ...options, ...asked });
        return carried && { carried, conversation, recordIt: undefined, footing: "view" };
      },
    });
    return outcome.type === "recorded" ? outcome.value : withoutRecord(heard, outcome.place, asked);
  }

  /** Not written to any log. Folds that the session has are shown all the same; where they do not suffice, it is folded for itself. */
  async function withoutRecord(heard: Heard, place: Place, asked: Asked): Promise<TurnStart> {
    const isKnown = place.type === "continue" || place.type === "replay";
    const isCount = heard.request.operation === "count-tokens";
    const isStepAgain = place.type === "replay" && !isCount;
    const start = {
      conversation: isStepAgain ? place.conversation : undefined,
      recordIt: place.type === "continue" && !isCount ? () => recordBefore(heard, place) : undefined,
      footing: "none",
    } as const;
    const replayed = isKnown ? carriedByReplay(heard, place.snapshot, asked.adapter) : carriedAsItCame(heard);
    if (isCount) return { ...start, carried: replayed ?? carriedAsItCame(heard) };
    if (replayed !== undefined && leavesRoom(heard, replayed, asked)) return { ...start, carried: replayed };
    const carried = (await foldOnce(heard, options.scratch, asked)) ?? carriedAsItCame(heard);
    return { ...start, carried };
  }

  /** What a question on the side is about may be said in it for the first time, and never again: an agent summarises, then drops it. */
  async function recordBefore(heard: Heard, place: Extract<Place, { type: "continue" }>): Promise<undefined> {
    const before = withoutLast(heard);
    if (before.messages.length <= spokenMessages(place.snapshot.log).length) return;
    const use: UseRecorded<true> = async ({ conversation }) => {
      conversation.underWay.delete(heard.mark);
      return true;
    };
    await record(before, place, { ...options, use }).catch((error) => incident("record", error));
  }

  /** Nothing depends on what is written: the request need not wait for it. */
  function whileItIsSent(heard: Heard, place: Place, carried: Carried): TurnStart {
    const conversation = "conversation" in place ? place.conversation : options.desk.conversation(place.id);
    const recordIt = () =>
      record(heard, place, { ...options, use: async (recorded) => recorded.conversation }).then(
        (outcome) => (outcome.type === "recorded" ? outcome.value : outcome.place.conversation),
        (error) => {
          incident("record", error);
          return undefined;
        },
      );
    return { carried, conversation, recordIt, footing: "log" };
  }

  /** Whether what is to be sent fits the window: by its size where that is clear, else by counting. */
  function leavesRoom(heard: Heard, { body, tokensSent }: Carried, { model, budgetTokens }: Asked): boolean {
    const { contextWindow } = limits.of(model);
    const most = Math.min(contextWindow, budgetTokens ?? contextWindow);
    if (body !== undefined) return tokensSent <= most;
    return mostTokens(heard, undefined) <= most || countedTokens(heard) <= most;
  }

  /** What to send where no policy would fold anything now: as it came, or with the folds that its session has. */
  function carriedSurely(heard: Heard, place: Place, { model, adapter }: Asked): Carried | undefined {
    const known = limits.of(model);
    const { maxViewBytes, maxImages } = byteLimits(heard, known);
    if (options.thresholds().adaptive || maxViewBytes !== undefined || maxImages !== undefined) return undefined;
    if (place.type !== "create" && place.type !== "continue") return undefined;
    const last = place.type === "continue" ? place.conversation.last : undefined;
    const atOnce = foldedAt(heard, model);
    if (place.type === "create" || !isFolded(place.snapshot.log)) {
      return mostTokens(heard, last) < SURE_SHARE * atOnce ? carriedAsItCame(heard, last) : undefined;
    }
    // Until the session was told its model, it does not know that one's tokens.
    const isTold = place.conversation.beside.told?.modelKey.startsWith(`${model.modelId} `) === true;
    const replayed = isTold ? carriedByReplay(heard, place.snapshot, adapter) : undefined;
    return replayed !== undefined && replayed.tokensSent < SURELY_COUNTED_SHARE * atOnce ? replayed : undefined;
  }

  /** The prompt from which on something is folded. */
  function foldedAt({ request }: Heard, model: AskedModel): number {
    const known = limits.of(model);
    const entry = options.registry.find(model.modelId);
    const percent = options.thresholds().global ?? condenseDefaults(entry).thresholdPercent;
    const { contextWindow, maxTokens } = roomFor(request, known, undefined);
    const { inputLimitTokens = contextWindow } = entry;
    return Math.min((percent / 100) * contextWindow, allowedTokens({ contextWindow, maxTokens, inputLimitTokens }));
  }

  return { begin };
}

/** More than the prompt can have, by the size of the body and what the last one turned out to be. */
function mostTokens({ body: { length: bodyBytes } }: Heard, last: LastRequest | undefined): number {
  if (last === undefined || bodyBytes < last.bodyBytes) return bodyBytes * MOST_TOKENS_PER_BYTE;
  return last.promptTokens + (bodyBytes - last.bodyBytes) * MOST_TOKENS_PER_BYTE;
}

function countedTokens({ request, messages }: Heard): number {
  return countMessagesTokens(messages) + overheadTokens(besideText(request));
}

/**
 * Titles, checks and summaries that agents ask for on the side: they bring no tools, and are no part of the conversation. Checks may
 * show the middle of one.
 */
function isSide(heard: Heard, place: Place): boolean {
  if (heard.isCompaction) return true;
  if (heard.request.tools.length > 0) return false;
  if (heard.messages[0]?.role === "assistant") return true;
  switch (place.type) {
    case "continue":
    case "replay":
    case "rewind":
      return place.conversation.last?.hasTools === true || hasCalls(place.snapshot.log);
    case "branch":
      return hasCalls(place.snapshot.log);
    case "create":
      return place.isNearAgent || (!heard.isNamed && !heard.messages.some(({ role }) => role === "assistant"));
  }
}

/** The most tokens that a request may have by its own wish; undefined where it has none, or one that makes no sense. */
function budgetIn(header: string | readonly string[] | undefined): number | undefined {
  const tokens = typeof header === "string" && /^\d+$/.test(header.trim()) ? Number(header) : Number.NaN;
  return Number.isSafeInteger(tokens) && tokens > 0 ? tokens : undefined;
}
