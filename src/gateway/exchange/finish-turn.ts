import type { ModelEntry } from "../../core/models/model-entry.ts";
import { priceOf } from "../../core/models/price.ts";
import type { ReplyNotes } from "../../core/ports/wire-adapter.ts";
import type { ReportedUsage } from "../../core/tokens/forecast.ts";
import { hidesSomething } from "../../engine/session/provider-clearing.ts";
import type { RequestActivity } from "../activity.ts";
import { compactionFingerprint } from "../match/fingerprints.ts";
import { promptTokensOf } from "../prompt-tokens-of.ts";
import type { Conversation } from "../sessions/session-pool.ts";
import type { TurnOutcome } from "../turn.ts";
import { roomFor } from "./configure-session.ts";
import type { CacheDiagnostician } from "./diagnose-cache.ts";
import { type PromptReport, recordRequest } from "./record-request.ts";
import { type RecordedTurn, requestsToRecord, roundUsages } from "./requests-to-record.ts";
import { safely, type TurnContext, type TurnPorts, type TurnState } from "./turn-state.ts";

/** A turn whose request is being sent: the context it was opened with, and its changing state. */
export interface OpenTurn {
  readonly context: TurnContext;
  readonly ports: TurnPorts;
  readonly state: TurnState;
  readonly diagnosis: CacheDiagnostician;
}

/** How a turn ended, and by how many milliseconds the gateway delayed its request. */
export type FinishedTurn = TurnOutcome & Pick<RequestActivity, "addedMs">;

/**
 * Publishes how a turn ended, and starts to learn from its reply. Returns at once: the session's next request waits until the reply's usage,
 * compactions and clearing are recorded.
 */
export function finishTurn(turn: OpenTurn, outcome: FinishedTurn): void {
  const { ports, state } = turn;
  state.isEnded = true;
  safely("publish", () => ports.feed.publish({ ...activityOf(turn), ...outcome }), { otherwise: undefined, ports });
  rememberCompactions(turn);
  const learned = learnAndRecord(turn, outcome);
  noteLearning(state.conversation, learned);
  ports.pool.track(learned, "writing");
}

/** Records a turn's requests and what its reply reports, then releases its session. */
async function learnAndRecord(turn: OpenTurn, outcome: TurnOutcome): Promise<void> {
  const { context, ports, state, diagnosis } = turn;
  await state.recordOnce();
  await noteClearing(turn, outcome).catch((error) => ports.incident("clearing", error));
  const concluded = () => diagnosis.conclude(state, notesIn(turn));
  const cacheDiagnosis = safely("diagnosis", concluded, { otherwise: undefined, ports });
  const report = safely("learn", () => learn(turn, outcome), { otherwise: undefined, ports });
  const keepsBodies = ports.keepsBodies !== false;
  const recorded: RecordedTurn = { context, state, keepsBodies, cacheDiagnosis, report };
  await recordRequests(turn, outcome, recorded).catch((error) => ports.incident("statement", error));
  state.dispose();
  ports.pool.evictIdle();
}

/** Makes the conversation's next request wait until what its reply teaches is recorded. */
function noteLearning(conversation: Conversation | undefined, finished: Promise<void>): void {
  if (conversation === undefined) return;
  conversation.reply.learning = finished;
  const over = () => {
    if (conversation.reply.learning === finished) conversation.reply.learning = undefined;
  };
  finished.then(over, over);
}

/** The usage that a reply reports; undefined where it reports none, or where reading it throws. */
function usageIn({ state: { follower }, ports }: OpenTurn): ReportedUsage | undefined {
  return safely("usage", () => follower.usage(), { otherwise: undefined, ports });
}

/** The provider's notes in a reply: its id, compactions, cleared calls, cache misses. */
function notesIn({ state: { follower }, ports }: OpenTurn): ReplyNotes {
  return safely("notes", () => follower.notes?.(), { otherwise: undefined, ports }) ?? { compactions: [] };
}

/**
 * Records the keys of the compactions in a reply. A compaction comes back with the next request, maybe as all that is left of the conversation:
 * its key then finds the session, also in other gateways and after a restart.
 */
function rememberCompactions(turn: OpenTurn): void {
  const { ports, state } = turn;
  const { conversation } = state;
  const { compactions } = notesIn(turn);
  if (conversation === undefined || compactions.length === 0) return;
  const keys = compactions.map(compactionFingerprint);
  ports.index.add(conversation.id, keys);
  const kept = conversation.session().then((session) => session.recordCompaction(keys));
  ports.pool.track(
    kept.catch((error: unknown) => ports.incident("compaction", error)),
    "writing",
  );
}

/** Records which calls the provider cleared from the request. An earlier record is emptied where the reply reports no clearing any more. */
async function noteClearing(turn: OpenTurn, { isComplete, status = 0 }: TurnOutcome): Promise<void> {
  const { adapter, incoming, clearing } = turn.context;
  const { conversation, loop, sentBody } = turn.state;
  const isAnswered = isComplete && status < 300 && incoming.request.operation === "generate";
  if (adapter.clearing === undefined || conversation === undefined || !isAnswered) return;
  const { cleared } = notesIn(turn);
  const wasCleared = conversation.reply.isCleared || (clearing !== undefined && hidesSomething(clearing));
  conversation.reply.isCleared = cleared !== undefined;
  if (cleared === undefined && !wasCleared) return;
  const lastBody = loop?.bodies().at(-1) ?? sentBody;
  const session = await conversation.session();
  if (cleared === undefined) return session.recordClearing({ toolUseIds: [] });
  const { raw } = incoming.request;
  const request = lastBody === undefined ? incoming.request : adapter.readRequest({ path: raw.path, body: lastBody });
  if (request === undefined) return;
  await session.recordClearing({ ...adapter.clearing.clearedCalls(request, cleared), thoughts: cleared.thoughts });
}

/** Adds the turn's requests to its session's statement. Requests that the upstream refused or never answered cost nothing, and are left out. */
async function recordRequests(turn: OpenTurn, { status = 0 }: TurnOutcome, recorded: RecordedTurn): Promise<void> {
  const { incoming, limits, model, budgetTokens } = turn.context;
  const { conversation } = turn.state;
  const isPaid = status >= 200 && status < 300 && incoming.request.operation !== "count-tokens";
  if (!isPaid || conversation === undefined) return;
  const room = roomFor(incoming.request, limits.of(model), budgetTokens);
  const { incident } = turn.ports;
  for (const sent of requestsToRecord(recorded, billedUsage(turn))) {
    await conversation.enqueue(() => recordRequest(incoming, conversation, { room, sent, incident }));
  }
}

/** The usage that the reply reports, with that of a compaction of the provider's own; undefined where the report is impossible. */
function billedUsage(turn: OpenTurn): ReportedUsage | undefined {
  const reported = usageIn(turn);
  // No text has more tokens than bytes: a report of more is wrong, and not billed.
  const isPossible = (reportedTokens(reported) ?? 0) <= turn.context.incoming.body.length;
  return isPossible ? sumOf(reported, notesIn(turn).compactionUsage) : undefined;
}

/** Adds up two reports of usage: a compaction of the provider's own is billed in addition to the reply. */
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

/** Learns the model's limits from the usage that the reply reports. Returns the report that the session can learn from; undefined where there is none. */
function learn(turn: OpenTurn, { status = 0 }: TurnOutcome): PromptReport | undefined {
  const { incoming, limits, model } = turn.context;
  const { conversation, recordedAs } = turn.state;
  // Only the turn's first request shows the session's view: later ones hold answers of the recall tool, too.
  const [usage] = roundUsages(turn.state, usageIn(turn));
  const promptTokens = reportedTokens(usage);
  if (usage === undefined || promptTokens === undefined || status >= 300) return undefined;
  // No text has more tokens than bytes: a larger report would raise every limit that is guessed later.
  if (promptTokens <= incoming.body.length) limits.accepted(model, promptTokens);
  if (conversation === undefined || recordedAs === "none") return undefined;
  // If the provider compacted or cleared messages, its report covers a shorter prompt than the one that was sent.
  const { compactions, cleared } = notesIn(turn);
  if (compactions.length > 0 || cleared !== undefined) return undefined;
  return { usage, hiddenTokens: hiddenTokens(turn.state) };
}

/** The prompt's tokens by a report; undefined where there is none, or where it says zero or less, as some servers do. */
function reportedTokens(usage: ReportedUsage | undefined): number | undefined {
  const tokens = usage === undefined ? 0 : promptTokensOf(usage);
  return Number.isFinite(tokens) && tokens > 0 ? tokens : undefined;
}

/** How many tokens of the prompt the session's folds hide. */
function hiddenTokens({ outgoing }: TurnState): number {
  return Math.max(0, outgoing.tokensIn - outgoing.tokensSent);
}

function activityOf(turn: OpenTurn): Omit<RequestActivity, keyof FinishedTurn> {
  const { context, ports, state } = turn;
  const { incoming, model, startedAt } = context;
  const usage = usageIn(turn);
  const tokensSent = reportedTokens(usage) ?? state.outgoing.tokensSent;
  return {
    type: "request",
    at: ports.now(),
    startedAt,
    api: model.api,
    operation: incoming.request.operation,
    modelId: model.modelId,
    sessionId: state.conversation?.id,
    isStreaming: incoming.request.isStreaming,
    tokensIn: tokensSent + hiddenTokens(state),
    tokensSent,
    foldIds: state.newFoldIds,
    retries: state.retries,
    usage,
    costUsd: costOf(ports.registry.find(model.modelId), usage),
  };
}

/** The price of a request in USD; undefined where the model's prices or the usage are not known. */
function costOf(model: ModelEntry, usage: ReportedUsage | undefined): number | undefined {
  if (usage === undefined) return undefined;
  const { outputTokens = 0, reasoningTokens = 0 } = usage;
  return priceOf(model, { ...usage, outputTokens: outputTokens + reasoningTokens });
}
