import { setImmediate as nextEventLoopTurn } from "node:timers/promises";
import type { ModelEntry } from "../../core/models/model-entry.ts";
import { priceOf } from "../../core/models/price.ts";
import type { ReplyFollower, ReplyNotes } from "../../core/ports/wire-adapter.ts";
import type { CacheDiagnosis } from "../../core/statement/cache-diagnosis.ts";
import type { ReportedUsage } from "../../core/tokens/forecast.ts";
import { hidesSomething } from "../../engine/session/provider-clearing.ts";
import type { RequestActivity } from "../activity.ts";
import { compactionFingerprint } from "../match/fingerprints.ts";
import { mayBeginTurn } from "../match/person-turn.ts";
import { promptTokensOf } from "../prompt-tokens-of.ts";
import type { Conversation } from "../sessions/session-pool.ts";
import { NO_FOLLOWER, type Turn, type TurnOutcome } from "../turn.ts";
import { replyLimit, roomFor } from "./configure-session.ts";
import { diagnoseCache } from "./diagnose-cache.ts";
import { offerRecall } from "./offer-recall.ts";
import { markAsItCame } from "./outgoing-request.ts";
import { type PromptReport, recordRequest } from "./record-request.ts";
import { shortenTurn } from "./shorten-turn.ts";
import { startState, type TurnContext, type TurnPorts, type TurnState } from "./turn-state.ts";

/** A turn whose request is about to be sent. */
export function openTurn(context: TurnContext, ports: TurnPorts): Turn {
  const { incoming, adapter, model } = context;
  const state = startState(context, ports);
  const newFollower = () => safely("follow", adapter.followReply, { otherwise: NO_FOLLOWER, ports });
  let follower = newFollower();
  const diagnosis = diagnoseCache(context);
  const bodyNow = () => {
    const body = keepRestored(bodyToSend(state, context), { context, ports });
    return diagnosis.ask(offerRecall(body, state, { context, ports }));
  };
  const firstBody = bodyNow();
  let sentBody = firstBody;
  const addedMs = ports.now() - context.startedAt;
  let filesKept: Promise<void> | undefined;

  async function finish(outcome: TurnOutcome): Promise<void> {
    await state.recordOnce();
    const asked = state.loop?.bodies().at(-1) ?? sentBody;
    await noteClearing(state, asked, { context, ports, follower, outcome }).catch((error) =>
      ports.incident("clearing", error),
    );
    const concluded = () => diagnosis.conclude(state, notesIn(follower, ports));
    const cacheDiagnosis = safely("diagnosis", concluded, { otherwise: undefined, ports });
    const reported = { context, ports, follower, sentBody, cacheDiagnosis };
    const report = safely("learn", () => learn(state, outcome, reported), { otherwise: undefined, ports });
    await keepRequest(state, outcome, { ...reported, report }).catch((error) => ports.incident("statement", error));
    state.dispose();
    ports.pool.evictIdle();
  }

  return {
    modelId: model.modelId,
    isStreaming: incoming.request.isStreaming,
    body: firstBody,
    // Writing to the store must not delay the request: there is time for it while the upstream works.
    sent: () => {
      // Where that fails, the end of the turn reports it.
      const recorded = nextEventLoopTurn()
        .then(state.recordOnce)
        .catch(() => undefined);
      filesKept = keepFiles(recorded, state, { context, ports });
    },
    beforeEnd: () => filesKept,
    headers: () => safely("headers", () => headersOf(state), { otherwise: {}, ports }),
    shorten: async (refusal) => {
      if (!(await shortenTurn(refusal, state, { context, ports }))) return undefined;
      const body = bodyNow();
      if (body === sentBody) return undefined;
      sentBody = body;
      state.retries += 1;
      follower = newFollower();
      return body;
    },
    get follower() {
      return follower;
    },
    get loop() {
      return state.loop;
    },
    end: (outcome) => {
      state.isEnded = true;
      const publish = () =>
        ports.feed.publish({ ...activityOf(state, { context, ports, follower }), ...outcome, addedMs });
      safely("publish", publish, { otherwise: undefined, ports });
      rememberCompactions(state, notesIn(follower, ports), ports);
      const finished = finish(outcome);
      noteLearning(state.conversation, finished);
      ports.pool.track(finished, "writing");
    },
  };
}

/**
 * Keeps the workspace's files where a person's turn begins, once it is known where that is in the session; undefined where none begins.
 * An agent changes files because of a reply: they are saved while the upstream works, and the reply's end waits for it.
 */
function keepFiles(
  recorded: Promise<void>,
  state: TurnState,
  { context: { incoming }, ports: { files } }: { readonly context: TurnContext; readonly ports: TurnPorts },
): Promise<void> | undefined {
  if (files === undefined || state.recordedAs === "none" || !mayBeginTurn(incoming)) return undefined;
  return recorded.then(() => {
    const { conversation, turnVersion } = state;
    return conversation === undefined || turnVersion === undefined ? undefined : files.keep(conversation, turnVersion);
  });
}

function safely<Value>(
  what: string,
  run: () => Value,
  { otherwise, ports }: { readonly otherwise: Value; readonly ports: TurnPorts },
): Value {
  try {
    return run();
  } catch (error) {
    ports.incident(what, error);
    return otherwise;
  }
}

/** The usage that a reply reports. A follower that throws must not fail the reply. */
function usageIn(follower: ReplyFollower, ports: TurnPorts): ReportedUsage | undefined {
  return safely("usage", () => follower.usage(), { otherwise: undefined, ports });
}

/** What a reply says about itself. */
function notesIn(follower: ReplyFollower, ports: TurnPorts): ReplyNotes {
  return safely("notes", () => follower.notes?.(), { otherwise: undefined, ports }) ?? { compactions: [] };
}

/**
 * A compaction comes back with the next request, maybe as all that is left of the conversation: it is known by its key then, also to other
 * gateways and after a restart.
 */
function rememberCompactions({ conversation }: TurnState, { compactions }: ReplyNotes, ports: TurnPorts): void {
  if (conversation === undefined || compactions.length === 0) return;
  const keys = compactions.map(compactionFingerprint);
  ports.index.add(conversation.id, keys);
  const kept = conversation.session().then((session) => session.recordCompaction(keys));
  ports.pool.track(
    kept.catch((error: unknown) => ports.incident("compaction", error)),
    "writing",
  );
}

function noteLearning(conversation: Conversation | undefined, finished: Promise<void>): void {
  if (conversation === undefined) return;
  conversation.learning = finished;
  const over = () => {
    if (conversation.learning === finished) conversation.learning = undefined;
  };
  finished.then(over, over);
}

/** The body that asks the provider no longer to leave out what was restored; undefined where that is the request as it came. */
function keepRestored(
  body: string | undefined,
  { context, ports }: { readonly context: TurnContext; readonly ports: TurnPorts },
): string | undefined {
  const { adapter, clearing, incoming } = context;
  if (clearing === undefined || clearing.restored.length === 0) return body;
  const text = body ?? incoming.request.raw.body;
  const keeps = () => adapter.clearing?.keepAll(text, clearing.restored);
  const kept = safely("clearing", keeps, { otherwise: undefined, ports });
  return kept === undefined || kept === text ? body : kept;
}

/** Keeps what the provider left out of the request, where it says so, or has said so before. */
async function noteClearing(
  { conversation }: TurnState,
  asked: string | undefined,
  { context, ports, follower, outcome }: Omit<Reported, "cacheDiagnosis"> & { readonly outcome: TurnOutcome },
): Promise<void> {
  const { adapter, incoming, clearing } = context;
  const isOver = outcome.isComplete && (outcome.status ?? 0) < 300 && incoming.request.operation === "generate";
  if (adapter.clearing === undefined || conversation === undefined || !isOver) return;
  const { cleared } = notesIn(follower, ports);
  const hidBefore = conversation.isCleared || (clearing !== undefined && hidesSomething(clearing));
  conversation.isCleared = cleared !== undefined;
  if (cleared === undefined && !hidBefore) return;
  const session = await conversation.session();
  if (cleared === undefined) return session.recordClearing({ toolUseIds: [] });
  const { raw } = incoming.request;
  const request = asked === undefined ? incoming.request : adapter.readRequest({ path: raw.path, body: asked });
  if (request === undefined) return;
  await session.recordClearing({ ...adapter.clearing.clearedCalls(request, cleared), thoughts: cleared.thoughts });
}

/** The body to send; undefined where that is the request as it came. */
function bodyToSend(state: TurnState, context: TurnContext): string | undefined {
  const { incoming, adapter, limits, model, marking } = context;
  const { body: folded } = state.outgoing;
  const isMarked = folded === undefined && state.recordedAs !== "none" && marking?.isForAll === true;
  const body = (isMarked ? markAsItCame(incoming, adapter, marking) : folded) ?? expandedBody(context);
  state.replyTokens = undefined;
  // What goes as it came was not counted.
  const promptTokens = folded === undefined ? 0 : state.outgoing.tokensSent;
  const mostTokens = replyLimit(incoming.request, limits.of(model), promptTokens);
  if (mostTokens === undefined) return body;
  const text = body ?? incoming.request.raw.body;
  const limited = adapter.limitReply(text, mostTokens);
  if (limited === text) return body;
  state.replyTokens = mostTokens;
  return limited;
}

/** What was made of the request before it was matched; undefined where that is the request as it came. */
function expandedBody({ incoming, asSent }: TurnContext): string | undefined {
  return asSent === undefined ? undefined : incoming.request.raw.body;
}

function headersOf({ conversation, outgoing, replyTokens }: TurnState): Readonly<Record<string, string>> {
  return {
    ...(replyTokens === undefined ? {} : { "x-palimpsest-reply-limit": String(replyTokens) }),
    ...(conversation === undefined ? {} : { "x-palimpsest-session": conversation.id }),
    "x-palimpsest-tokens-in": String(outgoing.tokensIn),
    "x-palimpsest-tokens-sent": String(outgoing.tokensSent),
    "x-palimpsest-folds": String(outgoing.foldCount),
  };
}

/** What is kept of a request besides what its reply reports. */
interface Kept extends Reported {
  readonly sentBody: string | undefined;
  /** What its session learns from it; undefined where that is nothing. */
  readonly report: PromptReport | undefined;
}

/** Adds the request to its session's statement. What the upstream refused or never answered is not paid, and what has no session has no statement. */
async function keepRequest(
  state: TurnState,
  { status = 0 }: TurnOutcome,
  { context, ports, follower, sentBody, cacheDiagnosis, report }: Kept,
): Promise<void> {
  const { incoming, startedAt } = context;
  const { conversation, outgoing } = state;
  const isPaid = status >= 200 && status < 300 && incoming.request.operation !== "count-tokens";
  if (!isPaid || conversation === undefined) return;
  const reported = usageIn(follower, ports);
  // No text has more tokens than bytes: nobody is billed for what is claimed beyond.
  const isPossible = (reportedTokens(reported) ?? 0) <= incoming.body.length;
  const { compactionUsage } = notesIn(follower, ports);
  const usage = isPossible ? sumOf(reported, compactionUsage) : undefined;
  const room = roomFor(incoming.request, context.limits.of(context.model), context.budgetTokens);
  const isView = state.recordedAs !== "none";
  const isAsItCame = sentBody === undefined;
  const wire = context.model.api;
  const keepBody = (bytes: () => Uint8Array, isAsIs = false) =>
    ports.keepsBodies === false ? undefined : { wire, bytes: bytes(), isAsItCame: isAsIs };
  const body = keepBody(() => (isAsItCame ? incoming.body : Buffer.from(sentBody)), isAsItCame);
  const [first, ...later] = roundUsages(state, usage);
  const sent = { at: startedAt, usage: first, tokensSent: outgoing.tokensSent, isView, body, cacheDiagnosis, report };
  const { incident } = ports;
  await conversation.enqueue(() => recordRequest(incoming, conversation, { room, sent, incident }));
  const bodies = state.loop?.bodies() ?? [];
  for (const [index, each] of later.entries()) {
    const tokensSent = each === undefined ? outgoing.tokensSent : promptTokensOf(each);
    const asked = keepBody(() => Buffer.from(bodies[index] ?? ""));
    const round = { at: startedAt, usage: each, tokensSent, isView: false, body: asked };
    await conversation.enqueue(() => recordRequest(incoming, conversation, { room, sent: round, incident }));
  }
}

/** What each request of the turn used: one, and one more for each time that calls of the recall tool were answered in it. */
function roundUsages({ loop }: TurnState, usage: ReportedUsage | undefined): readonly (ReportedUsage | undefined)[] {
  const usages = loop?.usages() ?? [];
  return usages.length === 0 ? [usage] : usages;
}

/** A compaction of the provider's own is billed beside the reply. */
function sumOf(usage: ReportedUsage | undefined, added: ReportedUsage | undefined): ReportedUsage | undefined {
  if (usage === undefined || added === undefined) return usage ?? added;
  return {
    ...usage,
    inputTokens: usage.inputTokens + added.inputTokens,
    cacheReadTokens: (usage.cacheReadTokens ?? 0) + (added.cacheReadTokens ?? 0),
    cacheWriteTokens: (usage.cacheWriteTokens ?? 0) + (added.cacheWriteTokens ?? 0),
    outputTokens: (usage.outputTokens ?? 0) + (added.outputTokens ?? 0),
  };
}

/** Learns the limits of the model from the usage that the reply reports, and gives what the session can learn from it. */
function learn(
  state: TurnState,
  { status = 0 }: TurnOutcome,
  { context, ports, follower }: Reported,
): PromptReport | undefined {
  const { incoming, limits, model } = context;
  // The first request is the one whose prompt is the session's view.
  const [usage] = roundUsages(state, usageIn(follower, ports));
  const promptTokens = reportedTokens(usage);
  if (usage === undefined || promptTokens === undefined || status >= 300) return undefined;
  // No text has more tokens than bytes; what else is claimed would lift every limit that is guessed later.
  if (promptTokens <= incoming.body.length) limits.accepted(model, promptTokens);
  const { conversation, recordedAs } = state;
  if (conversation === undefined || recordedAs === "none") return undefined;
  // What the provider compacted or cleared meanwhile is not in what it reports: that says nothing about what was sent.
  const { compactions, cleared } = notesIn(follower, ports);
  if (compactions.length > 0 || cleared !== undefined) return undefined;
  return { usage, hiddenTokens: hiddenTokens(state) };
}

/** Some servers report a prompt of no tokens, or of less: that is no report. */
function reportedTokens(usage: ReportedUsage | undefined): number | undefined {
  const tokens = usage === undefined ? 0 : promptTokensOf(usage);
  return Number.isFinite(tokens) && tokens > 0 ? tokens : undefined;
}

function hiddenTokens({ outgoing }: TurnState): number {
  return Math.max(0, outgoing.tokensIn - outgoing.tokensSent);
}

interface Reported {
  readonly context: TurnContext;
  readonly ports: TurnPorts;
  readonly follower: ReplyFollower;
  readonly cacheDiagnosis?: CacheDiagnosis | undefined;
}

function activityOf(
  state: TurnState,
  { context, ports, follower }: Reported,
): Omit<RequestActivity, keyof TurnOutcome | "addedMs"> {
  const { incoming, model, startedAt } = context;
  const usage = usageIn(follower, ports);
  const tokensSent = reportedTokens(usage) ?? state.outgoing.tokensSent;
  const hidden = hiddenTokens(state);
  return {
    type: "request",
    at: ports.now(),
    startedAt,
    api: model.api,
    operation: incoming.request.operation,
    modelId: model.modelId,
    sessionId: state.conversation?.id,
    isStreaming: incoming.request.isStreaming,
    tokensIn: tokensSent + hidden,
    tokensSent,
    foldIds: state.newFoldIds,
    retries: state.retries,
    usage,
    costUsd: costOf(ports.registry.find(model.modelId), usage),
  };
}

/** What a request cost; undefined where the model's prices or the usage are not known. */
function costOf(model: ModelEntry, usage: ReportedUsage | undefined): number | undefined {
  if (usage === undefined) return undefined;
  const { outputTokens = 0, reasoningTokens = 0 } = usage;
  return priceOf(model, { ...usage, outputTokens: outputTokens + reasoningTokens });
}
