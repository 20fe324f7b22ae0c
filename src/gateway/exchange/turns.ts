import type { WireAdapter } from "../../core/ports/wire-adapter.ts";
import { type ClearingState, clearingOf } from "../../engine/session/provider-clearing.ts";
import type { RecentBodies } from "../bodies/recent-bodies.ts";
import type { RequestBudgets } from "../gateway.ts";
import type { AlignedLog } from "../match/align.ts";
import { type IncomingRequest, withoutLast } from "../match/incoming-request.ts";
import { matchSession, type SessionMatch } from "../match/match-session.ts";
import { turnVersionOf } from "../match/person-turn.ts";
import { scopeOf } from "../match/scope.ts";
import type { SessionFamilies } from "../match/session-family.ts";
import { isSideCall } from "../match/side-call.ts";
import { noteTools } from "../match/tool-use.ts";
import type { PacerPool } from "../pacer.ts";
import { unlessTooLong } from "../sessions/session-pool.ts";
import type { AgentRequest, Turn, Turns } from "../turn.ts";
import {
  foldOnce,
  foldTurn,
  foldWithoutSession,
  ignoreCannotFit,
  isStoreFailure,
  type Marking,
  type Target,
} from "./fold-turn.ts";
import { forwardSummaryRequest } from "./forward-summary.ts";
import type { LearnedLimits, TargetModel } from "./limits.ts";
import { countOfferedRecall } from "./offer-recall.ts";
import { openTurn } from "./open-turn.ts";
import { forwardReplayed, forwardUnchanged, type OutgoingRequest } from "./outgoing-request.ts";
import { readAgentRequest } from "./read-request.ts";
import { type RecordOutcome, record, type UseRecorded } from "./record.ts";
import { type FoldingPorts, forwardIfSurelyFits, leavesRoom } from "./surely-fits.ts";
import type { SettledSession, TurnPorts, TurnStart } from "./turn-state.ts";

export interface TurnsOptions extends TurnPorts, FoldingPorts {
  readonly limits: LearnedLimits;
  readonly bodies: RecentBodies;
  readonly pacers: PacerPool;
  readonly adapters: readonly WireAdapter[];
  /** The most that a prompt may have, by the kind of its request. @default what the window allows */
  readonly budgets?: RequestBudgets | undefined;
  /** How requests of conversations are marked for the provider's cache. @default not at all */
  readonly marking?: Marking | undefined;
  /** Told of the scope of each request. @default nobody is told */
  readonly families?: Pick<SessionFamilies, "note"> | undefined;
  /** Whether requests ask why the provider's cache missed. @default false */
  readonly diagnosesCache?: boolean | undefined;
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
    const reading = { bodies, adapter, naming, pacer: options.pacers.pacer() };
    const asSent = await readAgentRequest(agentRequest, { ...reading, sessionId });
    if (asSent === undefined) return undefined;
    const expanded = await expandReplies(asSent, agentRequest, { ...options, adapter });
    const incoming =
      expanded === undefined
        ? asSent
        : ((await readAgentRequest(expanded, { ...reading, sessionId: `${sessionId ?? ""} expanded` })) ?? asSent);
    options.families?.note(incoming.scope);
    const { request } = incoming;
    const model: TargetModel = { api, upstream, modelId: request.modelId, wireLimits: adapter.limits };
    const ownBudget = budgetIn(headers["x-palimpsest-budget"]);
    const { budgets = {} } = options;
    const budgetTokens = ownBudget ?? budgets[incoming.scope?.isSubAgent === true ? "sub-agent" : "main"];
    // Servers of models without a cache that we know of may refuse marks.
    const hasCache = options.registry.find(request.modelId).cacheTtlMs > 0;
    const marking = hasCache ? options.marking : undefined;
    const { diagnosesCache } = options;
    const target: Target = { model, adapter, limits, budgetTokens, marking, diagnosesCache };
    const ports = { ...options, ...target, sideBudgetTokens: ownBudget ?? budgets.side };
    const start = await tryTwice(() => firstStep(incoming, ports), incident)
      .catch(ignoreCannotFit)
      .catch((error) => {
        incident("begin", error);
        return withoutSession(error, incoming, ports);
      });
    // Where the request is too long, the upstream refuses it, and it is shortened then.
    const sent = incoming === asSent ? {} : { asSent };
    const first = start ?? alone(forwardUnchanged(incoming));
    const clearing = await clearingFor(incoming, first, { ...options, adapter });
    return openTurn({ ...first, ...target, ...sent, incoming, startedAt, clearing }, options);
  }

  return { begin };
}

/** The request with what was really said in place of its replies; undefined where they are what was said, or that cannot be known. */
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

/** Asked anew with each request, as a person may restore what was left out, here or through another gateway. */
async function clearingFor(
  { request, messages }: IncomingRequest,
  { conversation: recorded, countedFor }: TurnStart,
  { adapter, recalled, incident }: Pick<Target, "adapter"> & Pick<TurnPorts, "recalled" | "incident">,
): Promise<ClearingState | undefined> {
  const conversation = recorded ?? countedFor;
  // Nothing was left out of a conversation that begins.
  if (conversation === undefined || messages.length < 2 || adapter.clearing === undefined) return undefined;
  // The recall tool stays, also where a request no longer asks for clearing: that is looked up once for each open session.
  const decidesOffer = recalled !== undefined && recorded !== undefined && !conversation.isClearingKnown;
  if (!decidesOffer && !adapter.clearing.isAsked(request)) return undefined;
  try {
    const clearing = clearingOf(await (await conversation.session()).events());
    conversation.isClearingKnown = true;
    return clearing;
  } catch (error) {
    incident("clearing", error);
    return undefined;
  }
}

type StepPorts = Target & TurnPorts & FoldingPorts & { readonly sideBudgetTokens: number | undefined };

/** Where the store fails, the second try is made without it. */
async function tryTwice<Value>(run: () => Promise<Value>, incident: TurnPorts["incident"]): Promise<Value> {
  try {
    return await run();
  } catch (error) {
    if (!isStoreFailure(error)) throw error;
    incident("store", error);
    return run();
  }
}

/** A request for which our own part failed: as it came where it fits, else folded as far as that can still be done. */
async function withoutSession(
  error: unknown,
  incoming: IncomingRequest,
  ports: StepPorts,
): Promise<TurnStart | undefined> {
  const isCount = incoming.request.operation === "count-tokens";
  if (isCount || leavesRoom(incoming, forwardUnchanged(incoming), ports)) return undefined;
  const outgoing = await foldWithoutSession(error, incoming, ports);
  return outgoing && alone(outgoing);
}

/** The start of a turn that belongs to no session, and is not recorded. */
function alone(outgoing: OutgoingRequest): TurnStart {
  return { outgoing, conversation: undefined, recordIt: undefined, recordedAs: "none" };
}

async function firstStep(incoming: IncomingRequest, ports: StepPorts): Promise<TurnStart> {
  const match = await matchAfterLearning(incoming, ports);
  try {
    countOfferedRecall(incoming, match, ports);
  } catch (error) {
    ports.incident("recall", error);
  }
  if (incoming.request.operation === "compact") return forwardCompaction(incoming, match, ports);
  const isCount = incoming.request.operation === "count-tokens";
  if (isCount || match.type === "replay") return withoutRecord(incoming, match, ports);
  if (await isSideCall(incoming, match, ports)) {
    return withoutRecord(incoming, match, { ...ports, budgetTokens: ports.sideBudgetTokens });
  }
  const isNewWindow = match.type === "continue" && match.aligned.alignment.type === "compacts";
  const mayBeSure = ports.budgetTokens === undefined && !isNewWindow;
  const outgoing = mayBeSure ? forwardIfSurelyFits(incoming, match, ports) : undefined;
  if (outgoing !== undefined) return whileItIsSent(incoming, { match, outgoing }, ports);
  const outcome = await record(incoming, match, {
    ...ports,
    use: async ({ conversation, lease, aligned }): Promise<TurnStart | undefined> => {
      noteTools(conversation, incoming);
      const outgoing = await foldTurn(incoming, { conversation, aligned }, ports);
      if (outgoing === undefined) return undefined;
      const turnVersion = turnVersionIn(aligned, ports);
      return { outgoing, conversation, lease, recordIt: undefined, recordedAs: "view", turnVersion };
    },
  });
  return outcome.type === "recorded" ? outcome.value : withoutRecord(incoming, outcome.match, ports);
}

/** The match of a request, after its session has learned from the reply before it. */
async function matchAfterLearning(incoming: IncomingRequest, ports: StepPorts): Promise<SessionMatch> {
  const match = await matchSession(incoming, ports);
  if (!("conversation" in match)) return match;
  const { learning } = match.conversation;
  if (learning === undefined) return match;
  await unlessTooLong(learning);
  return matchSession(incoming, ports, { known: match.aligned });
}

/**
 * Starts a turn whose request is not written to a log. The folds of its session are shown all the same; where they do not suffice, the
 * request is folded for itself.
 */
async function withoutRecord(incoming: IncomingRequest, match: SessionMatch, ports: StepPorts): Promise<TurnStart> {
  const isKnown = match.type === "continue" || match.type === "replay";
  const isCount = incoming.request.operation === "count-tokens";
  const isStepAgain = match.type === "replay" && !isCount;
  const start = {
    conversation: isStepAgain ? match.conversation : undefined,
    recordIt: match.type === "continue" && !isCount ? () => recordBefore(incoming, match, ports) : undefined,
    recordedAs: "none",
    countedFor: isCount && "conversation" in match ? match.conversation : undefined,
  } as const;
  if (incoming.isCompaction && !isCount) return { ...start, ...(await forwardSummaryRequest(incoming, match, ports)) };
  // The same bytes as before; what is asked on the side is sent once.
  const shown = { adapter: ports.adapter, breakpoints: isStepAgain ? ports.marking : undefined };
  const replayed = isKnown ? forwardReplayed(incoming, match.aligned, shown) : forwardUnchanged(incoming);
  if (isCount) return { ...start, outgoing: replayed ?? forwardUnchanged(incoming) };
  if (replayed !== undefined && leavesRoom(incoming, replayed, ports)) return { ...start, outgoing: replayed };
  const outgoing = (await foldOnce(incoming, ports, ports)) ?? forwardUnchanged(incoming);
  return { ...start, outgoing };
}

/** Records what a side call has before its last message: it may be sent for the first and only time, as an agent drops what it has summarised. */
async function recordBefore(
  incoming: IncomingRequest,
  match: Extract<SessionMatch, { type: "continue" }>,
  ports: StepPorts,
): Promise<undefined> {
  const before = withoutLast(incoming);
  if (before.messages.length <= match.aligned.spoken.messages.length) return;
  const use: UseRecorded<true> = async ({ lease }) => {
    lease.dispose();
    return true;
  };
  await record(before, match, { ...ports, use }).catch((error) => ports.incident("record", error));
}

/**
 * Starts a turn that asks the provider to compact the conversation. It goes as it came, for what a compaction does not see is lost to the agent;
 * all of it is recorded, as the agent may never send it again, and what comes back is known as this session's.
 */
function forwardCompaction(incoming: IncomingRequest, match: SessionMatch, ports: StepPorts): TurnStart {
  const outgoing = forwardUnchanged(incoming);
  if (match.type !== "replay") return { ...whileItIsSent(incoming, { match, outgoing }, ports), recordedAs: "none" };
  return { outgoing, conversation: match.conversation, recordIt: undefined, recordedAs: "none" };
}

/** Starts a turn whose request is sent before it is recorded: nothing that is sent depends on the record. */
function whileItIsSent(
  incoming: IncomingRequest,
  {
    match,
    outgoing,
  }: { readonly match: Exclude<SessionMatch, { type: "replay" }>; readonly outgoing: OutgoingRequest },
  ports: StepPorts,
): TurnStart {
  const conversation = "conversation" in match ? match.conversation : ports.pool.conversation(match.id);
  const recordIt = () =>
    recordSomewhere(incoming, match, ports).then(
      (outcome) =>
        outcome.type === "recorded" ? outcome.value : { conversation: outcome.match.conversation, lease: undefined },
      (error) => {
        ports.incident("record", error);
        return undefined;
      },
    );
  return { outgoing, conversation, recordIt, recordedAs: "log" };
}

async function recordSomewhere(
  incoming: IncomingRequest,
  match: SessionMatch,
  ports: StepPorts,
): Promise<RecordOutcome<SettledSession>> {
  const use: UseRecorded<SettledSession> = async ({ conversation, lease, aligned }) => {
    noteTools(conversation, incoming);
    return { conversation, lease, turnVersion: turnVersionIn(aligned, ports) };
  };
  let known: SessionMatch | undefined = match;
  return tryTwice(async () => {
    const first = known ?? (await matchSession(incoming, ports));
    known = undefined;
    return record(incoming, first, { ...ports, use });
  }, ports.incident);
}

/** Only whoever keeps files asks where a person's turn begins. */
function turnVersionIn(aligned: AlignedLog, { files }: Pick<StepPorts, "files">): number | undefined {
  return files === undefined ? undefined : turnVersionOf(aligned);
}

/** The budget that the request's header sets for its prompt; undefined where there is none, or it is no positive number. */
function budgetIn(header: string | readonly string[] | undefined): number | undefined {
  const tokens = typeof header === "string" && /^\d+$/.test(header.trim()) ? Number(header) : Number.NaN;
  return Number.isSafeInteger(tokens) && tokens > 0 ? tokens : undefined;
}
