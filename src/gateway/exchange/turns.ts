import type { SessionHeader, WireAdapter } from "../../core/ports/wire-adapter.ts";
import { CLEARING_EVENTS, type ClearingState, clearingOf } from "../../engine/session/provider-clearing.ts";
import type { RecentBodies } from "../bodies/recent-bodies.ts";
import type { RequestBudgets } from "../gateway.ts";
import type { IncomingRequest } from "../match/incoming-request.ts";
import { scopeOf } from "../match/scope.ts";
import type { PacerPool } from "../pacer.ts";
import type { AgentRequest, Turn, Turns } from "../turn.ts";
import type { Marking, Target } from "./fold-turn.ts";
import type { LearnedLimits, TargetModel } from "./limits.ts";
import { openTurn } from "./open-turn.ts";
import { readAgentRequest } from "./read-request.ts";
import { type StartPorts, startTurn } from "./start-turn.ts";
import type { FoldingPorts } from "./surely-fits.ts";
import type { TurnContext, TurnPorts, TurnStart } from "./turn-state.ts";

export interface TurnsOptions extends TurnPorts, FoldingPorts, Pick<StartPorts, "families"> {
  readonly limits: LearnedLimits;
  readonly bodies: RecentBodies;
  readonly pacers: PacerPool;
  readonly adapters: readonly WireAdapter[];
  /** The most tokens that a prompt may have, by the kind of its request. @default what the window allows */
  readonly budgets?: RequestBudgets | undefined;
  /** How requests of conversations are marked for the provider's cache. @default not at all */
  readonly marking?: Marking | undefined;
  /** Whether requests ask why the provider's cache missed. @default false */
  readonly diagnosesCache?: boolean | undefined;
}

/** Makes the turns of a gateway: reads each request, matches it with a session, and folds it. */
export function createTurns(options: TurnsOptions): Turns {
  const { adapters } = options;
  const sessionHeaders = adapters.flatMap(({ sessions }) => sessions?.headers ?? []);

  async function begin(agentRequest: AgentRequest): Promise<Turn | undefined> {
    const startedAt = options.now();
    const adapter = adapters.find(({ name }) => name === agentRequest.api);
    if (adapter === undefined) return undefined;
    const read = await readTurn(agentRequest, adapter, { ...options, sessionHeaders });
    if (read === undefined) return undefined;
    const { incoming } = read;
    const { sideBudgetTokens, ...target } = targetOf(incoming, { agentRequest, adapter, options });
    const start = await startTurn(incoming, { ...options, ...target, sideBudgetTokens });
    const clearing = await clearingFor(incoming, start, { ...options, adapter });
    return openTurn({ ...start, ...target, ...read, startedAt, clearing }, options);
  }

  return { begin };
}

type Reading = Pick<TurnsOptions, "bodies" | "pacers" | "recalled" | "incident"> & {
  readonly sessionHeaders: readonly SessionHeader[];
};

/** Reads the conversation in a request, and puts recalled content back into its replies; undefined where the request holds no conversation. */
async function readTurn(
  agentRequest: AgentRequest,
  adapter: WireAdapter,
  { bodies, pacers, recalled, incident, sessionHeaders }: Reading,
): Promise<Pick<TurnContext, "incoming" | "asSent"> | undefined> {
  const naming = { headers: sessionHeaders, bodyAgent: adapter.sessions?.bodyAgent };
  const sessionId = scopeOf(agentRequest.headers, undefined, naming)?.id;
  const reading = { bodies, adapter, naming, pacer: pacers.pacer() };
  const asSent = await readAgentRequest(agentRequest, { ...reading, sessionId });
  if (asSent === undefined) return undefined;
  const expanded = await expandReplies(asSent, agentRequest, { recalled, incident, adapter });
  if (expanded === undefined) return { incoming: asSent };
  const incoming = await readAgentRequest(expanded, { ...reading, sessionId: `${sessionId ?? ""} expanded` });
  return incoming === undefined ? { incoming: asSent } : { incoming, asSent };
}

/** The model that a request is for, and the prompt's budget: that of the request's header, else the one configured for its kind. */
function targetOf(
  { request, scope }: IncomingRequest,
  {
    agentRequest: { api, upstream, headers },
    adapter,
    options,
  }: { readonly agentRequest: AgentRequest; readonly adapter: WireAdapter; readonly options: TurnsOptions },
): Target & Pick<StartPorts, "sideBudgetTokens"> {
  const { limits, registry, budgets = {}, diagnosesCache } = options;
  const model: TargetModel = { api, upstream, modelId: request.modelId, wireLimits: adapter.limits };
  const ownBudget = budgetIn(headers["x-palimpsest-budget"]);
  const budgetTokens = ownBudget ?? budgets[scope?.isSubAgent === true ? "sub-agent" : "main"];
  // Servers of models that have no cache, as far as we know, may refuse the marks.
  const hasCache = registry.find(request.modelId).cacheTtlMs > 0;
  const marking = hasCache ? options.marking : undefined;
  const sideBudgetTokens = ownBudget ?? budgets.side;
  return { model, adapter, limits, budgetTokens, marking, diagnosesCache, sideBudgetTokens };
}

/** Puts recalled content, which the agent never got, back into a request's replies; undefined where there is none, or it cannot be looked up. */
async function expandReplies(
  asSent: IncomingRequest,
  agentRequest: AgentRequest,
  { recalled, adapter, incident }: Pick<TurnPorts, "recalled" | "incident"> & Pick<Target, "adapter">,
): Promise<AgentRequest | undefined> {
  if (recalled === undefined || adapter.recall === undefined) return undefined;
  try {
    const replies = await recalled.find(asSent, adapter.name);
    if (replies.size === 0) return undefined;
    return { ...agentRequest, body: Buffer.from(adapter.recall.expand(asSent.request, replies)) };
  } catch (error) {
    incident("recall", error);
    return undefined;
  }
}

/** Reads what the provider clears from a session's requests; undefined where that is not needed. Read for each request, as a person may restore it. */
async function clearingFor(
  { request, messages }: IncomingRequest,
  { conversation: recorded, countedFor }: TurnStart,
  { adapter, recalled, incident }: Pick<Target, "adapter"> & Pick<TurnPorts, "recalled" | "incident">,
): Promise<ClearingState | undefined> {
  const conversation = recorded ?? countedFor;
  // The first request of a conversation has nothing that could have been cleared.
  if (conversation === undefined || messages.length < 2 || adapter.clearing === undefined) return undefined;
  // The recall tool stays offered after a clearing, even if this request asks for none: that is looked up once per open session.
  const decidesOffer = recalled !== undefined && recorded !== undefined && !conversation.reply.isClearingKnown;
  if (!decidesOffer && !adapter.clearing.isAsked(request)) return undefined;
  try {
    const clearing = clearingOf(await (await conversation.session()).events(CLEARING_EVENTS));
    conversation.reply.isClearingKnown = true;
    return clearing;
  } catch (error) {
    incident("clearing", error);
    return undefined;
  }
}

/** The budget that the request's header sets for its prompt; undefined where there is none, or it is no positive number. */
function budgetIn(header: string | readonly string[] | undefined): number | undefined {
  const tokens = typeof header === "string" && /^\d+$/.test(header.trim()) ? Number(header) : Number.NaN;
  return Number.isSafeInteger(tokens) && tokens > 0 ? tokens : undefined;
}
