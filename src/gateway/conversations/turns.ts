import type { WireAdapter } from "../../core/ports/wire-adapter.ts";
import { rawRequestOf } from "../bodies/raw-request.ts";
import type { RecentBodies } from "../bodies/recent-bodies.ts";
import type { AgentRequest, Turn, Turns } from "../turn.ts";
import { unlessNothingFits } from "./cannot-fit.ts";
import { type Carried, carriedAsItCame, carriedByReplay } from "./carry.ts";
import { carriedSummary } from "./carry-summary.ts";
import { type Asked, foldOnce, foldTurn } from "./fold-turn.ts";
import { type Heard, hear, withoutLast } from "./heard.ts";
import type { AskedModel, LearnedLimits } from "./limits.ts";
import { locate } from "./locate.ts";
import { openTurn } from "./open-turn.ts";
import type { Place } from "./place.ts";
import { record, type UseRecorded } from "./record.ts";
import { scopeOf } from "./scope.ts";
import { isSideCall } from "./side-call.ts";
import { carriedSurely, type FoldingPorts, leavesRoom } from "./surely-fits.ts";
import type { TurnPorts, TurnStart } from "./turn-course.ts";
import { spokenMessages } from "./wire-view.ts";

export interface TurnsOptions extends TurnPorts, FoldingPorts {
  readonly limits: LearnedLimits;
  readonly bodies: RecentBodies;
  readonly adapters: readonly WireAdapter[];
}

/** Matches requests with sessions, and folds them. */
export function createTurns(options: TurnsOptions): Turns {
  const { adapters, limits, incident, bodies } = options;
  const sessionHeaders = adapters.flatMap(({ sessions }) => sessions?.headers ?? []);

  async function begin(agentRequest: AgentRequest): Promise<Turn | undefined> {
    const { api, headers, upstream } = agentRequest;
    const startedAt = options.now();
    const adapter = adapters.find(({ name }) => name === api);
    if (adapter === undefined) return undefined;
    const naming = { headers: sessionHeaders, bodyAgent: adapter.sessions?.bodyAgent };
    const sessionId = scopeOf(headers, undefined, naming)?.id;
    const raw = rawRequestOf(agentRequest, { bodies, sessionId, listPaths: adapter.listPaths });
    const request = raw && adapter.readRequest(raw);
    if (request === undefined) return undefined;
    const model: AskedModel = { api, upstream, modelId: request.modelId, wireLimits: adapter.limits };
    const asked: Asked = { model, adapter, limits, budgetTokens: budgetIn(headers["x-palimpsest-budget"]) };
    const heard = hear(request, { ...agentRequest, naming });
    const start = await firstStep(heard, { ...options, ...asked })
      .catch(unlessNothingFits)
      .catch((error) => {
        incident("begin", error);
      });
    const asItCame = { carried: carriedAsItCame(heard), conversation: undefined, recordIt: undefined } as const;
    // Should it be too long, the upstream says so, and it is shortened then.
    return openTurn({ ...(start ?? { ...asItCame, footing: "none" }), ...asked, heard, startedAt }, options);
  }

  return { begin };
}

type StepPorts = Asked & TurnPorts & FoldingPorts;

async function firstStep(heard: Heard, ports: StepPorts): Promise<TurnStart> {
  const place = await locate(heard, ports);
  const isCount = heard.request.operation === "count-tokens";
  if (isCount || place.type === "replay" || (await isSideCall(heard, place, ports))) {
    return withoutRecord(heard, place, ports);
  }
  const carried = ports.budgetTokens === undefined ? carriedSurely(heard, place, ports) : undefined;
  if (carried !== undefined) return whileItIsSent(heard, { place, carried }, ports);
  const outcome = await record(heard, place, {
    ...ports,
    use: async ({ conversation }): Promise<TurnStart | undefined> => {
      const carried = await foldTurn(heard, conversation, ports);
      return carried && { carried, conversation, recordIt: undefined, footing: "view" };
    },
  });
  return outcome.type === "recorded" ? outcome.value : withoutRecord(heard, outcome.place, ports);
}

/** Not written to any log. Folds that the session has are shown all the same; where they do not suffice, it is folded for itself. */
async function withoutRecord(heard: Heard, place: Place, ports: StepPorts): Promise<TurnStart> {
  const isKnown = place.type === "continue" || place.type === "replay";
  const isCount = heard.request.operation === "count-tokens";
  const isStepAgain = place.type === "replay" && !isCount;
  const start = {
    conversation: isStepAgain ? place.conversation : undefined,
    recordIt: place.type === "continue" && !isCount ? () => recordBefore(heard, place, ports) : undefined,
    footing: "none",
  } as const;
  if (heard.isCompaction && !isCount) return { ...start, ...(await carriedSummary(heard, place, ports)) };
  const replayed = isKnown ? carriedByReplay(heard, place.snapshot, ports.adapter) : carriedAsItCame(heard);
  if (isCount) return { ...start, carried: replayed ?? carriedAsItCame(heard) };
  if (replayed !== undefined && leavesRoom(heard, replayed, ports)) return { ...start, carried: replayed };
  const carried = (await foldOnce(heard, ports, ports)) ?? carriedAsItCame(heard);
  return { ...start, carried };
}

/** What a question on the side is about may be said in it for the first time, and never again: an agent summarises, then drops it. */
async function recordBefore(
  heard: Heard,
  place: Extract<Place, { type: "continue" }>,
  ports: StepPorts,
): Promise<undefined> {
  const before = withoutLast(heard);
  if (before.messages.length <= spokenMessages(place.snapshot.log).length) return;
  const use: UseRecorded<true> = async ({ conversation }) => {
    conversation.underWay.delete(heard.mark);
    return true;
  };
  await record(before, place, { ...ports, use }).catch((error) => ports.incident("record", error));
}

/** Nothing depends on what is written: the request need not wait for it. */
function whileItIsSent(
  heard: Heard,
  { place, carried }: { readonly place: Exclude<Place, { type: "replay" }>; readonly carried: Carried },
  ports: StepPorts,
): TurnStart {
  const conversation = "conversation" in place ? place.conversation : ports.desk.conversation(place.id);
  const recordIt = () =>
    record(heard, place, { ...ports, use: async (recorded) => recorded.conversation }).then(
      (outcome) => (outcome.type === "recorded" ? outcome.value : outcome.place.conversation),
      (error) => {
        ports.incident("record", error);
        return undefined;
      },
    );
  return { carried, conversation, recordIt, footing: "log" };
}

/** The most tokens that a request may have by its own wish; undefined where it has none, or one that makes no sense. */
function budgetIn(header: string | readonly string[] | undefined): number | undefined {
  const tokens = typeof header === "string" && /^\d+$/.test(header.trim()) ? Number(header) : Number.NaN;
  return Number.isSafeInteger(tokens) && tokens > 0 ? tokens : undefined;
}
