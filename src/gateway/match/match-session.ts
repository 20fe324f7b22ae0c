import type { Message } from "../../core/message/message.ts";
import type { Store } from "../../core/ports/store.ts";
import type { PacerPool } from "../pacer.ts";
import type { SessionIndex } from "../sessions/session-index.ts";
import type { Conversation } from "../sessions/session-pool.ts";
import { type AlignedLog, alignSession } from "./align-log.ts";
import { compactionKeys, isDistinctive } from "./fingerprints.ts";
import { type IncomingRequest, keysOf } from "./incoming-request.ts";
import { lengthOf } from "./log-facts.ts";
import {
  CONTINUED_SEARCH,
  type Divergence,
  type NewSessionPorts,
  newSessionId,
  rewoundVersion,
} from "./new-session.ts";
import { type OpenPorts, openSession } from "./open-session.ts";
import { isAgentNamed, isInScope } from "./scope.ts";
import { isWithTools } from "./tool-use.ts";

export interface MatchPorts extends OpenPorts {
  readonly index: SessionIndex;
  readonly pacers: PacerPool;
}

export interface MatchOptions {
  /** Whether to look for a rewound branch that the request continues. @default true */
  readonly searchesRewound?: boolean;
  /** How the same request was aligned before: a log that has not changed since is not compared again. */
  readonly known?: AlignedLog | undefined;
}

type SearchesRewound = Required<Pick<MatchOptions, "searchesRewound">>;

interface Candidate {
  readonly conversation: Conversation;
  readonly aligned: AlignedLog;
}

const MOST_CANDIDATES = 6;

/**
 * Finds the session that a request belongs to, or says which session to make for it. Writes neither a log nor the store. The index learns which
 * sessions own the compaction that the request begins with, where the store knows that.
 */
export async function matchSession(
  incoming: IncomingRequest,
  ports: MatchPorts,
  { searchesRewound = true, known }: MatchOptions = {},
): Promise<SessionMatch> {
  const opened = new Set<string>();
  /** Sessions that were empty are not in this set: another gateway may be about to write this very conversation to one of them. */
  const compared = new Set<string>();
  const candidates: Candidate[] = [];
  const pacer = ports.pacers.pacer();
  const assess = async (ids: Iterable<string | typeof PAUSE>): Promise<void> => {
    for (const id of ids) {
      if (id === PAUSE) {
        const paused = pacer.pause();
        if (paused !== undefined) await paused;
        continue;
      }
      if (candidates.length >= MOST_CANDIDATES || isContinued(best(candidates), "word for word")) return;
      if (opened.has(id)) continue;
      opened.add(id);
      const found = await readCandidate(id, incoming, { ...ports, known });
      if (found === undefined) continue;
      compared.add(id);
      candidates.push(found);
    }
  };
  await assess(indexedSessions(incoming, ports.index));
  if (!isContinued(best(candidates), "in any words")) {
    await indexOwners(incoming, ports);
    await assess(await searchStore(incoming, ports.store));
  }
  for (;;) {
    const match = await matchCandidate(incoming, best(candidates), { ...ports, searchesRewound, compared });
    if (match.type !== "taken") return match;
    compared.add(match.id);
    const found = await readCandidate(match.id, incoming, { ...ports, known });
    if (found !== undefined) candidates.push(found);
  }
}

/** The id for a new session is taken: that session must be compared with the request first. */
interface Taken {
  readonly type: "taken";
  readonly id: string;
}

/** Yielded between session ids, where the search lets other requests run. */
const PAUSE = Symbol("pause");
/** How many messages are looked up between two pauses: less than a millisecond of work where no message is in the index. */
const MESSAGES_PER_STEP = 1_024;

/**
 * The ids of indexed sessions that have a message of the request, the newest message first, as most requests continue a session; then of
 * sessions that have one of its newest calls.
 */
function* indexedSessions(incoming: IncomingRequest, index: SessionIndex): Generator<string | typeof PAUSE> {
  const { fingerprints, scope } = incoming;
  for (let place = fingerprints.length - 1; place >= 0; place--) {
    if (place > 0 && place % MESSAGES_PER_STEP === 0) yield PAUSE;
    for (const id of index.find(fingerprints[place] ?? "")) if (isInScope(id, scope)) yield id;
  }
  for (const key of newestKeys(incoming, CONTINUED_SEARCH.messages)) {
    for (const id of index.find(key)) if (isInScope(id, scope)) yield id;
  }
}

/** Aligns a request with a session; undefined where the session is deleted, or empty: any request would continue an empty one. */
async function readCandidate(
  id: string,
  incoming: IncomingRequest,
  { known, ...ports }: MatchPorts & Pick<MatchOptions, "known">,
): Promise<Candidate | undefined> {
  const isOwner = ports.index.find(compactionKeyOf(incoming)).includes(id);
  const opened = await openSession(id, ports, (session) => alignSession(incoming, session, { known, isOwner }));
  if (opened === undefined || opened.seen.snapshot.version === 0) return undefined;
  return { conversation: opened.conversation, aligned: opened.seen };
}

/** The key of the compaction that a request begins with; empty where it does not begin with one. */
function compactionKeyOf({ messages, compactionAt = -1 }: IncomingRequest): string {
  const message = messages[compactionAt];
  return (message && compactionKeys(message)[0]) ?? "";
}

/**
 * Adds to the index which sessions own the compaction that the request begins with. The reply that brought the compaction may have come to
 * another gateway, or before a restart.
 */
async function indexOwners(incoming: IncomingRequest, { index, store }: MatchPorts): Promise<void> {
  const key = compactionKeyOf(incoming);
  if (key === "" || index.find(key).length > 0) return;
  const found = await store.search([key], { limit: MOST_CANDIDATES });
  for (const { sessionId } of found.toReversed()) index.add(sessionId, [key]);
}

function newestKeys(incoming: IncomingRequest, count: number): readonly string[] {
  const { length } = incoming.fingerprints;
  const indexes = Array.from({ length: Math.min(count, length) }, (_, behind) => length - 1 - behind);
  return indexes.flatMap((index) => keysOf(incoming, index));
}

/** The ids of stored sessions that have one of the request's newest keys, and of the session that is named like the request's scope. */
async function searchStore(incoming: IncomingRequest, store: Store): Promise<readonly string[]> {
  const { scope } = incoming;
  const named = scope === undefined ? undefined : await store.find(scope.id);
  // The first session of a scope has its name: without that one, there are no others.
  if (isAgentNamed(scope) && named === undefined) return [];
  const found = await store.search(newestKeys(incoming, CONTINUED_SEARCH.messages), {
    limit: CONTINUED_SEARCH.records,
  });
  const ids = found.map(({ sessionId }) => sessionId).filter((id) => isInScope(id, scope));
  return [...new Set([...ids, ...(named === undefined ? [] : [named.id])])];
}

/** Whether the request continues a candidate: "word for word", or also with edited messages. */
function isContinued(found: Candidate | undefined, how: "word for word" | "in any words"): boolean {
  const type = found?.aligned.alignment.type;
  if (type === "compacts") return true;
  if (found?.aligned.alignment.type !== "continues") return false;
  return how === "in any words" || found.aligned.alignment.edited.length === 0;
}

/**
 * The best candidate: of the sessions that the request continues, the longest; then one that the request's new compaction belongs to, the sessions
 * that begin with the request, those that it diverges from, and last the unrelated ones.
 */
function best(candidates: readonly Candidate[]): Candidate | undefined {
  return candidates.toSorted((one, other) => compareRanks(rankOf(other), rankOf(one)))[0];
}

/** Of two candidates, the one with the higher tier is better; within a tier, the one with the greater length. */
interface Rank {
  readonly tier: number;
  readonly length: number;
}

function compareRanks(one: Rank, other: Rank): number {
  return one.tier - other.tier || one.length - other.length;
}

function rankOf({ aligned: { alignment, snapshot } }: Candidate): Rank {
  switch (alignment.type) {
    case "continues":
      return { tier: alignment.edited.length === 0 ? 5 : 4, length: lengthOf(snapshot) };
    case "compacts":
      return { tier: 3, length: 0 };
    case "begins":
      // The shortest log: the request covers the largest part of it.
      return { tier: 2, length: -lengthOf(snapshot) };
    case "diverges":
      return { tier: 1, length: alignment.shared };
    case "unrelated":
      return { tier: 0, length: alignment.shared };
  }
}

/** The match of a request whose best candidate is `nearest`; "taken" where the id for a new session is that of a session not yet compared. */
async function matchCandidate(
  incoming: IncomingRequest,
  nearest: Candidate | undefined,
  { store, compared, searchesRewound }: NewSessionPorts & SearchesRewound,
): Promise<SessionMatch | Taken> {
  if (nearest === undefined) {
    const { type, id } = await newSessionId(incoming, 0, { store, compared });
    return type === "taken" ? { type, id } : { type: "create", id, isNearAgent: false };
  }
  const { aligned, conversation } = nearest;
  const { alignment } = aligned;
  switch (alignment.type) {
    case "continues":
      return { type: "continue", conversation, aligned };
    case "compacts":
      return { type: "continue", conversation, aligned };
    case "begins":
      return { type: "replay", conversation, aligned };
    case "diverges":
      return matchDiverged(incoming, nearest, { shared: alignment.shared, store, compared, searchesRewound });
    case "unrelated":
      if (keepsNewest(incoming, aligned.snapshot.log)) {
        return matchDiverged(incoming, nearest, { shared: alignment.shared, store, compared, searchesRewound: false });
      }
      return matchUnrelated(incoming, nearest, { shared: alignment.shared, store, compared });
  }
}

async function matchUnrelated(
  incoming: IncomingRequest,
  { conversation, aligned: { snapshot } }: Candidate,
  { shared, ...ports }: NewSessionPorts & Divergence,
): Promise<SessionMatch | Taken> {
  const { type, id } = await newSessionId(incoming, shared, ports);
  if (type === "taken") return { type, id };
  const isNearAgent =
    (await isWithTools(conversation, snapshot)) && (isAgentNamed(incoming.scope) || quotes(incoming, snapshot.log));
  return { type: "create", id, isNearAgent };
}

/** Whether a request holds the newest distinctive message of a log: then its agent dropped or summarised older ones, and it is the same conversation. */
function keepsNewest(incoming: IncomingRequest, log: readonly Message[] = []): boolean {
  const newest = log.findLast(isDistinctive)?.keys ?? [];
  return (
    newest.length > 0 &&
    incoming.fingerprints.some((_, index) => keysOf(incoming, index).some((key) => newest.includes(key)))
  );
}

/** Whether the request and the log have a distinctive message in common. */
function quotes(incoming: IncomingRequest, log: readonly Message[] = []): boolean {
  const distinctive = new Set(log.filter(isDistinctive).flatMap(({ keys = [] }) => keys));
  return incoming.fingerprints.some((_, index) => keysOf(incoming, index).some((key) => distinctive.has(key)));
}

async function matchDiverged(
  incoming: IncomingRequest,
  { conversation, aligned }: Candidate,
  { shared, searchesRewound, ...ports }: NewSessionPorts & Divergence & SearchesRewound,
): Promise<SessionMatch | Taken> {
  const { store } = ports;
  const toVersion = searchesRewound ? await rewoundVersion(incoming, conversation, { shared, store }) : undefined;
  const isNeeded = conversation.heldMessages() > shared;
  const firstDifferentId = aligned.said.at(shared)?.id;
  if (toVersion === undefined && (!isNeeded || firstDifferentId === undefined)) {
    return { type: "rewind", conversation, aligned, shared };
  }
  const { type, id } = await newSessionId(incoming, shared, ports);
  if (type === "taken") return { type, id };
  const moment: BranchMoment =
    toVersion === undefined ? { toMessage: firstDifferentId ?? "", includeMessage: false } : { toVersion };
  return { type: "branch", from: conversation, aligned, moment, id };
}

/** The session that a request belongs to, or the kind of session to make for it. */
export type SessionMatch =
  /** The request goes on where the session's log ends, or is the log. */
  | { readonly type: "continue"; readonly conversation: Conversation; readonly aligned: AlignedLog }
  /** The request is the beginning of the session's log: an old step sent again, or another conversation that begins alike. */
  | { readonly type: "replay"; readonly conversation: Conversation; readonly aligned: AlignedLog }
  /** The request diverges from the session's log, which is rewound and goes on with the request. */
  | {
      readonly type: "rewind";
      readonly conversation: Conversation;
      readonly aligned: AlignedLog;
      readonly shared: number;
    }
  /** The request diverges from the session at an earlier moment, and both are still in use: the request gets a session of its own. */
  | {
      readonly type: "branch";
      readonly from: Conversation;
      /** The request compared with the session that it diverges from. */
      readonly aligned: AlignedLog;
      readonly moment: BranchMoment;
      readonly id: string;
    }
  | {
      readonly type: "create";
      readonly id: string;
      /** Whether the nearest session's requests bring tools, and its agent named it or it has a distinctive message in common with the request. */
      readonly isNearAgent: boolean;
    };

export type BranchMoment =
  | { readonly toVersion: number }
  | { readonly toMessage: string; readonly includeMessage: false };
