import type { Store } from "../../core/ports/store.ts";
import type { PacerPool } from "../pacer.ts";
import type { SessionIndex } from "../sessions/session-index.ts";
import type { Conversation } from "../sessions/session-pool.ts";
import { type AlignedLog, alignSession } from "./align-log.ts";
import { compactionKeys } from "./fingerprints.ts";
import { type IncomingRequest, keysOf } from "./incoming-request.ts";
import { lengthOf } from "./log-facts.ts";
import { CONTINUED_SEARCH } from "./new-session.ts";
import { type OpenPorts, openSession } from "./open-session.ts";
import { isAgentNamed, isInScope } from "./scope.ts";

export interface MatchPorts extends OpenPorts {
  readonly index: SessionIndex;
  readonly pacers: PacerPool;
}

interface CandidatePorts extends MatchPorts {
  /** How the same request was aligned before: a log that has not changed since is not compared again. */
  readonly known: AlignedLog | undefined;
}

/** A session that a request may belong to, and how the two relate. */
export interface Candidate {
  readonly conversation: Conversation;
  readonly aligned: AlignedLog;
}

/** The sessions that a request may belong to, as far as they were looked for. */
export interface Candidates {
  /** Looks for sessions with messages of the request: first in the index, and then in the store, unless the request continues one of the index. */
  search(): Promise<void>;
  /** Compares the request with one more session. */
  compare(id: string): Promise<void>;
  /** The nearest session that was found; undefined where none was. */
  best(): Candidate | undefined;
  /** The ids of sessions that were compared, without the empty ones that `search` met: another gateway may be about to write this conversation to one. */
  readonly compared: ReadonlySet<string>;
}

const MOST_CANDIDATES = 6;

export function openCandidates(incoming: IncomingRequest, ports: CandidatePorts): Candidates {
  const opened = new Set<string>();
  const compared = new Set<string>();
  const found: Candidate[] = [];
  const pacer = ports.pacers.pacer();

  async function assess(ids: Iterable<string | typeof PAUSE>): Promise<void> {
    for (const id of ids) {
      if (id === PAUSE) {
        const paused = pacer.pause();
        if (paused !== undefined) await paused;
        continue;
      }
      if (found.length >= MOST_CANDIDATES || isContinued(best(found), "word for word")) return;
      if (opened.has(id)) continue;
      opened.add(id);
      const candidate = await readCandidate(id, incoming, ports);
      if (candidate === undefined) continue;
      compared.add(id);
      found.push(candidate);
    }
  }

  return {
    search: async () => {
      await assess(indexedSessions(incoming, ports.index));
      if (isContinued(best(found), "in any words")) return;
      await indexOwners(incoming, ports);
      await assess(await searchStore(incoming, ports.store));
    },
    compare: async (id) => {
      compared.add(id);
      const candidate = await readCandidate(id, incoming, ports);
      if (candidate !== undefined) found.push(candidate);
    },
    best: () => best(found),
    compared,
  };
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
  { known, ...ports }: CandidatePorts,
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
