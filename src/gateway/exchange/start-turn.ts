import { type AlignedLog, alignEarlier } from "../match/align-log.ts";
import { type IncomingRequest, withoutLast } from "../match/incoming-request.ts";
import { matchSession, type SessionMatch } from "../match/match-session.ts";
import { turnVersionOf } from "../match/person-turn.ts";
import type { SessionFamilies } from "../match/session-family.ts";
import { isSideCall } from "../match/side-call.ts";
import { noteTools } from "../match/tool-use.ts";
import { type Conversation, unlessTooLong } from "../sessions/session-pool.ts";
import {
  foldInScratch,
  foldTurn,
  foldWithoutSession,
  ignoreCannotFit,
  isStoreFailure,
  type Marking,
  type Target,
} from "./fold-turn.ts";
import { forwardSummaryRequest } from "./forward-summary.ts";
import { countOfferedRecall } from "./offer-recall.ts";
import { forwardReplayed, forwardUnchanged, type OutgoingRequest } from "./outgoing-request.ts";
import { type RecordOutcome, record, type UseRecorded } from "./record.ts";
import { type FoldingPorts, forwardIfSurelyFits, leavesRoom } from "./surely-fits.ts";
import type { SettledSession, TurnPorts, TurnStart } from "./turn-state.ts";

export interface StartPorts extends Target, TurnPorts, FoldingPorts {
  /** Called with the session that a request was written to, and the request's scope. @default no families are kept */
  readonly families?: Pick<SessionFamilies, "note"> | undefined;
  /** The most that the prompt of a side call may be. */
  readonly sideBudgetTokens: number | undefined;
}

/**
 * Matches a request with its session, and decides what is sent upstream first. Never rejects: if the gateway itself fails, the request is sent
 * unchanged where it fits the window, else folded without its session.
 */
export async function startTurn(incoming: IncomingRequest, ports: StartPorts): Promise<TurnStart> {
  const start = await tryTwice(() => startMatched(incoming, ports), ports.incident)
    .catch(ignoreCannotFit)
    .catch((error) => {
      ports.incident("begin", error);
      return startWithoutSession(error, incoming, ports);
    });
  // If the unchanged request is too long, the upstream refuses it, and the turn shortens it then.
  return start ?? unrecordedStart(forwardUnchanged(incoming));
}

/** Runs a task, and once more if the store failed: by then the gateway keeps its sessions in memory instead. */
async function tryTwice<Value>(run: () => Promise<Value>, incident: TurnPorts["incident"]): Promise<Value> {
  try {
    return await run();
  } catch (error) {
    if (!isStoreFailure(error)) throw error;
    incident("store", error);
    return run();
  }
}

/** Folds a request whose session could not be used; undefined where the unchanged request fits, or folding fails too. */
async function startWithoutSession(
  error: unknown,
  incoming: IncomingRequest,
  ports: StartPorts,
): Promise<TurnStart | undefined> {
  const isCount = incoming.request.operation === "count-tokens";
  if (isCount || leavesRoom(incoming, forwardUnchanged(incoming), ports)) return undefined;
  const outgoing = await foldWithoutSession(error, incoming, ports);
  return outgoing && unrecordedStart(outgoing);
}

/** The start of a turn that belongs to no session: its request is not recorded. */
function unrecordedStart(outgoing: OutgoingRequest): TurnStart {
  return { outgoing, conversation: undefined, recordIt: undefined, recordedAs: "none" };
}

/** Starts a turn in the session that its request matches. Rejects where the session, the store or folding fails. */
async function startMatched(incoming: IncomingRequest, ports: StartPorts): Promise<TurnStart> {
  const match = await matchAfterLearning(incoming, ports);
  try {
    countOfferedRecall(incoming, match, ports);
  } catch (error) {
    ports.incident("recall", error);
  }
  if (incoming.request.operation === "compact") return forwardCompaction(incoming, match, ports);
  const isCount = incoming.request.operation === "count-tokens";
  if (isCount || match.type === "replay") return startUnlogged(incoming, match, ports);
  if (await isSideCall(incoming, match, ports)) {
    return startUnlogged(incoming, match, { ...ports, budgetTokens: ports.sideBudgetTokens });
  }
  const isNewWindow = match.type === "continue" && match.aligned.alignment.type === "compacts";
  const maySkipFolding = ports.budgetTokens === undefined && !isNewWindow;
  const outgoing = maySkipFolding ? forwardIfSurelyFits(incoming, match, ports) : undefined;
  if (outgoing !== undefined) return sendThenRecord(incoming, { match, outgoing }, ports);
  const outcome = await record(incoming, match, {
    ...ports,
    use: async ({ conversation, lease, aligned }): Promise<TurnStart | undefined> => {
      noteRequest(conversation, incoming, ports);
      const outgoing = await foldTurn(incoming, { conversation, aligned }, ports);
      if (outgoing === undefined) return undefined;
      const turnVersion = turnVersionIn(aligned, ports);
      return { outgoing, conversation, lease, recordIt: undefined, recordedAs: "view", turnVersion };
    },
  });
  return outcome.type === "recorded" ? outcome.value : startUnlogged(incoming, outcome.match, ports);
}

/** Matches a request, waits until its session has learned from the previous reply, and matches it again if it had to wait. */
async function matchAfterLearning(incoming: IncomingRequest, ports: StartPorts): Promise<SessionMatch> {
  const match = await matchSession(incoming, ports);
  if (!("conversation" in match)) return match;
  const { learning } = match.conversation.reply;
  if (learning === undefined) return match;
  await unlessTooLong(learning);
  return matchSession(incoming, ports, { known: match.aligned });
}

/** Why a request is not written to a log. */
type UnloggedReason =
  /** The request only asks for the size of its prompt. */
  | "count"
  /** The log already holds the request: an old step is sent again. */
  | "step-again"
  /** The request asks for a summary with which the agent will replace its history. */
  | "summary"
  /** The request asks for a title, a check, or something else that never becomes part of the conversation. */
  | "side";

function unloggedReason(incoming: IncomingRequest, { type }: SessionMatch): UnloggedReason {
  if (incoming.request.operation === "count-tokens") return "count";
  if (incoming.isCompaction) return "summary";
  return type === "replay" ? "step-again" : "side";
}

/**
 * Starts a turn whose request is not written to a log. It is sent with the folds of its session, unless it asks for a summary; where these do
 * not make it fit, the request is folded on its own.
 */
async function startUnlogged(incoming: IncomingRequest, match: SessionMatch, ports: StartPorts): Promise<TurnStart> {
  const conversation = match.type === "replay" ? match.conversation : undefined;
  const recordIt = match.type === "continue" ? () => recordWithoutLast(incoming, match, ports) : undefined;
  const start = { conversation, recordIt, recordedAs: "none" } as const;
  switch (unloggedReason(incoming, match)) {
    case "count": {
      const outgoing = (await forwardShown(incoming, match, ports)) ?? forwardUnchanged(incoming);
      return { ...unrecordedStart(outgoing), countedFor: "conversation" in match ? match.conversation : undefined };
    }
    case "summary":
      return { ...start, ...(await forwardSummaryRequest(incoming, match, ports)) };
    case "step-again":
      // The cache marks are part of the bytes that were sent the first time.
      return { ...start, outgoing: await forwardInRoom(incoming, match, { ...ports, breakpoints: ports.marking }) };
    case "side":
      // A request that is sent only once is not marked for the cache.
      return { ...start, outgoing: await forwardInRoom(incoming, match, ports) };
  }
}

type ShownPorts = Pick<StartPorts, "adapter"> & { readonly breakpoints?: Marking | undefined };

/** Sends a request with the folds of its session, or unchanged where it has no session; undefined where the folds do not apply to it. */
async function forwardShown(
  incoming: IncomingRequest,
  match: SessionMatch,
  { adapter, breakpoints }: ShownPorts,
): Promise<OutgoingRequest | undefined> {
  if (match.type !== "continue" && match.type !== "replay") return forwardUnchanged(incoming);
  return forwardReplayed(incoming, await alignedAsFirstSent(match), { adapter, breakpoints });
}

/** Sends a request with the folds of its session if that fits the window; otherwise folds this one request on its own. */
async function forwardInRoom(
  incoming: IncomingRequest,
  match: SessionMatch,
  ports: StartPorts & ShownPorts,
): Promise<OutgoingRequest> {
  const shown = await forwardShown(incoming, match, ports);
  if (shown !== undefined && leavesRoom(incoming, shown, ports)) return shown;
  return (await foldInScratch(incoming, ports, ports)) ?? forwardUnchanged(incoming);
}

/** Aligns a replayed request with the log as it was when the request was first sent: a retry must be sent as the same bytes. */
async function alignedAsFirstSent({
  type,
  aligned,
  conversation,
}: Extract<SessionMatch, { type: "continue" | "replay" }>): Promise<AlignedLog> {
  if (type === "continue") return aligned;
  return (await alignEarlier(aligned, await conversation.session())) ?? aligned;
}

/**
 * Records all but the last message of an unlogged request. Some of these messages may never be sent again, as an agent drops what it has
 * summarised.
 */
async function recordWithoutLast(
  incoming: IncomingRequest,
  match: Extract<SessionMatch, { type: "continue" }>,
  ports: StartPorts,
): Promise<undefined> {
  const before = withoutLast(incoming);
  if (before.messages.length <= match.aligned.said.count) return;
  const use: UseRecorded<true> = async ({ lease }) => {
    lease.dispose();
    return true;
  };
  await record(before, match, { ...ports, use }).catch((error) => ports.incident("record", error));
}

/**
 * Starts a turn that asks the provider to compact the conversation. The request is sent unchanged, because what the compaction does not see is
 * lost to the agent. All of it is recorded, because the agent may never send it again.
 */
function forwardCompaction(incoming: IncomingRequest, match: SessionMatch, ports: StartPorts): TurnStart {
  const outgoing = forwardUnchanged(incoming);
  if (match.type !== "replay") return { ...sendThenRecord(incoming, { match, outgoing }, ports), recordedAs: "none" };
  return { outgoing, conversation: match.conversation, recordIt: undefined, recordedAs: "none" };
}

/** Starts a turn whose request is sent before it is written to its session's log: the body does not depend on that write. */
function sendThenRecord(
  incoming: IncomingRequest,
  {
    match,
    outgoing,
  }: { readonly match: Exclude<SessionMatch, { type: "replay" }>; readonly outgoing: OutgoingRequest },
  ports: StartPorts,
): TurnStart {
  const conversation = "conversation" in match ? match.conversation : ports.pool.conversation(match.id);
  const recordIt = () =>
    recordOrRematch(incoming, match, ports).then(
      (outcome) =>
        outcome.type === "recorded" ? outcome.value : { conversation: outcome.match.conversation, lease: undefined },
      (error) => {
        ports.incident("record", error);
        return undefined;
      },
    );
  return { outgoing, conversation, recordIt, recordedAs: "log" };
}

/** Records a request by the match that was made before it was sent; after a store failure, by a new match. */
async function recordOrRematch(
  incoming: IncomingRequest,
  match: SessionMatch,
  ports: StartPorts,
): Promise<RecordOutcome<SettledSession>> {
  const use: UseRecorded<SettledSession> = async ({ conversation, lease, aligned }) => {
    noteRequest(conversation, incoming, ports);
    return { conversation, lease, turnVersion: turnVersionIn(aligned, ports) };
  };
  let earlierMatch: SessionMatch | undefined = match;
  return tryTwice(async () => {
    const currentMatch = earlierMatch ?? (await matchSession(incoming, ports));
    earlierMatch = undefined;
    return record(incoming, currentMatch, { ...ports, use });
  }, ports.incident);
}

/** Notes on a conversation whether its agent uses tools and which agent started it, as its newest request shows. */
function noteRequest(conversation: Conversation, incoming: IncomingRequest, { families }: StartPorts): void {
  noteTools(conversation, incoming);
  families?.note(conversation, incoming.scope);
}

/** The version right before the person's turn that a request begins; undefined where it begins none, or no files are kept. */
function turnVersionIn(aligned: AlignedLog, { files }: Pick<StartPorts, "files">): number | undefined {
  return files === undefined ? undefined : turnVersionOf(aligned);
}
