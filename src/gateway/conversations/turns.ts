import type { ModelRegistry } from "../../core/models/registry.ts";
import { condenseDefaults } from "../../core/models/registry.ts";
import type { WireAdapter, WireName } from "../../core/ports/wire-adapter.ts";
import type { Engine } from "../../engine/engine.ts";
import type { AgentRequest, Turn, Turns } from "../turn.ts";
import { carriedAsItCame, carriedByReplay } from "./carry.ts";
import type { Conversation } from "./desk.ts";
import { type Asked, foldTurn } from "./fold-turn.ts";
import { type Heard, hear } from "./heard.ts";
import type { AskedModel, LearnedLimits } from "./limits.ts";
import { locate, type Place, placeOfItsOwn } from "./locate.ts";
import { openTurn, type TurnStart } from "./open-turn.ts";
import { type RecordPorts, record } from "./record.ts";
import { isFolded } from "./wire-view.ts";

export interface TurnsOptions extends RecordPorts {
  readonly engine: Engine;
  readonly registry: ModelRegistry;
  readonly limits: LearnedLimits;
  readonly adapters: Readonly<Record<WireName, WireAdapter>>;
  /** Told what failed, never what was said. */
  readonly incident: (what: string, error: unknown) => void;
}

/** Below this share of what a policy folds at, a prompt surely needs none; half a token per character is more than any text has. */
const SURE_SHARE = 0.85;
const MOST_TOKENS_PER_CHARACTER = 0.5;

/** Matches requests with sessions, and folds them. */
export function createTurns(options: TurnsOptions): Turns {
  const { adapters, limits, incident } = options;

  async function begin({ api, path, body, headers, upstream }: AgentRequest): Promise<Turn | undefined> {
    const startedAt = options.now();
    const adapter = adapters[api];
    const request = adapter.readRequest({ path, body });
    if (request === undefined) return undefined;
    const model: AskedModel = { api, upstream, modelId: request.modelId };
    const asked: Asked = { model, adapter, limits, budgetTokens: budgetIn(headers["x-palimpsest-budget"]) };
    const heard = hear(request, headers);
    const start = await firstStep(heard, asked).catch((error): TurnStart => {
      incident("begin", error);
      return { carried: carriedAsItCame(heard), conversation: undefined, recording: undefined, footing: "none" };
    });
    return openTurn({ ...start, ...asked, heard, startedAt }, options);
  }

  async function firstStep(heard: Heard, asked: Asked): Promise<TurnStart> {
    const place = await locate(heard, options);
    const isCount = heard.request.operation === "count-tokens";
    if (isCount || place.type === "replay" || (isSide(heard, place) && !needsRoom(heard, asked))) {
      return withoutSession(heard, place, asked.adapter);
    }
    if (asked.budgetTokens === undefined && surelyFits(heard, place, asked)) return whileItIsSent(heard, place);
    const own = isSide(heard, place) ? await placeOfItsOwn(heard, place, options.store) : place;
    const { conversation } = await record(heard, own, options);
    const carried = await foldTurn(heard, conversation, asked);
    return { carried, conversation, recording: undefined, footing: "view" };
  }

  /** Not written to any log; folds that the session has are shown all the same. */
  function withoutSession(heard: Heard, place: Place, adapter: WireAdapter): TurnStart {
    const isKnown = place.type === "continue" || place.type === "replay";
    const carried = isKnown ? carriedByReplay(heard, place.snapshot, adapter) : undefined;
    const isStepAgain = place.type === "replay" && heard.request.operation === "generate";
    return {
      carried: carried ?? carriedAsItCame(heard),
      conversation: isStepAgain ? place.conversation : undefined,
      recording: undefined,
      footing: "none",
    };
  }

  /** Nothing depends on what is written: the request need not wait for it. */
  function whileItIsSent(heard: Heard, place: Place): TurnStart {
    const conversation = options.desk.conversation(idOf(place));
    const recording = record(heard, place, options).then(
      (recorded) => recorded.conversation,
      (error) => {
        incident("record", error);
        return undefined;
      },
    );
    return { carried: carriedAsItCame(heard, conversation), conversation, recording, footing: "log" };
  }

  function needsRoom(heard: Heard, { model, budgetTokens }: Asked): boolean {
    const { contextWindow } = limits.of(model);
    return mostTokens(heard, undefined) > Math.min(contextWindow, budgetTokens ?? contextWindow);
  }

  function surelyFits(heard: Heard, place: Place, { model }: Asked): boolean {
    const { contextWindow, maxBodyBytes } = limits.of(model);
    const { global, adaptive } = options.engine.configure({}).thresholds;
    if (adaptive || heard.request.raw.body.length > (maxBodyBytes ?? Number.POSITIVE_INFINITY) / 2) return false;
    if (place.type === "branch" || place.type === "rewind") return false;
    if (place.type === "continue" && isFolded(place.snapshot.log)) return false;
    const percent = global ?? condenseDefaults(options.registry.find(model.modelId)).thresholdPercent;
    const conversation = place.type === "continue" ? place.conversation : undefined;
    return mostTokens(heard, conversation) < SURE_SHARE * (percent / 100) * contextWindow;
  }

  return { begin };
}

function idOf(place: Place): string {
  return place.type === "branch" || place.type === "create" ? place.id : place.conversation.id;
}

/** More than the prompt can have, by the size of the body and what the last one turned out to be. */
function mostTokens({ request }: Heard, conversation: Conversation | undefined): number {
  const { bodyLength = 0, promptTokens = 0 } = conversation?.last ?? {};
  const { length } = request.raw.body;
  const grown = length < bodyLength ? length : length - bodyLength;
  return (length < bodyLength ? 0 : promptTokens) + grown * MOST_TOKENS_PER_CHARACTER;
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
      return (place.conversation.last?.toolCount ?? 0) > 0;
    case "branch":
      return (place.from.last?.toolCount ?? 0) > 0;
    case "create":
      return place.isNearOther || (!heard.isNamed && !heard.messages.some(({ role }) => role === "assistant"));
  }
}

/** The most tokens that a request may have by its own wish; undefined where it has none, or one that makes no sense. */
function budgetIn(header: string | readonly string[] | undefined): number | undefined {
  const tokens = typeof header === "string" && /^\d+$/.test(header.trim()) ? Number(header) : Number.NaN;
  return Number.isSafeInteger(tokens) && tokens > 0 ? tokens : undefined;
}
