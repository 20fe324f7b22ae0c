import type { Store } from "../../core/ports/store.ts";
import type { SessionSnapshot } from "../../engine/session/session.ts";
import type { Conversation, SessionIndex } from "../sessions/session-pool.ts";
import { type AlignedLog, alignLog } from "./align.ts";
import { compactionKeys, isDistinctive } from "./fingerprints.ts";
import { type IncomingRequest, keysOf } from "./incoming-request.ts";
import { type Divergence, type NewSessionPorts, newSessionId, rewoundVersion } from "./new-session.ts";
import { type OpenPorts, openSession } from "./open-session.ts";
import { isAgentNamed, isInScope } from "./scope.ts";
import { isWithTools } from "./tool-use.ts";

export interface MatchPorts extends OpenPorts {
  readonly index: SessionIndex;
}

export interface MatchOptions {
  /** Whether to look for a rewound branch that the request continues. @default true */
  readonly looksBack?: boolean;
  /** How an earlier look aligned the same request: a log that has not changed since is not compared again. */
  readonly known?: AlignedLog | undefined;
}

type LooksBack = Required<Pick<MatchOptions, "looksBack">>;

interface Candidate {
  readonly conversation: Conversation;
  readonly aligned: AlignedLog;
}

/** How many messages, from the newest back, a store is asked for. */
const SEARCHED_MESSAGES = 8;
const MOST_FOUND_RECORDS = 40;
const MOST_CANDIDATES = 6;

/** Finds the session that a request belongs to. Nothing is written. */
export async function matchSession(
  incoming: IncomingRequest,
  ports: MatchPorts,
  { looksBack = true, known }: MatchOptions = {},
): Promise<SessionMatch> {
  const tried = new Set<string>();
  const seen: Candidate[] = [];
  const assess = async (ids: Iterable<string>): Promise<void> => {
    for (const id of ids) {
      if (seen.length >= MOST_CANDIDATES || isContinued(best(seen), "word for word")) return;
      if (tried.has(id)) continue;
      tried.add(id);
      const found = await candidate(id, incoming, { ...ports, known });
      if (found !== undefined) seen.push(found);
    }
  };
  await assess(knownSessions(incoming, ports.index));
  if (!isContinued(best(seen), "in any words")) {
    await learnOwners(incoming, ports);
    await assess(await searchStore(incoming, ports.store));
  }
  for (;;) {
    const match = await matchCandidate(incoming, best(seen), { ...ports, looksBack, tried });
    if (match.type !== "taken") return match;
    tried.add(match.id);
    const found = await candidate(match.id, incoming, { ...ports, known });
    if (found !== undefined) seen.push(found);
  }
}

/** The id for a new session is taken: that session must be compared with the request first. */
interface Taken {
  readonly type: "taken";
  readonly id: string;
}

/**
 * Sessions that have a message of the request, by the newest first, as most requests continue a session; then sessions that have one of its
 * calls.
 */
function* knownSessions(incoming: IncomingRequest, known: SessionIndex): Generator<string> {
  const { fingerprints, scope } = incoming;
  for (let index = fingerprints.length - 1; index >= 0; index--) {
    for (const id of known.find(fingerprints[index] ?? "")) if (isInScope(id, scope)) yield id;
  }
  for (const key of newestKeys(incoming, SEARCHED_MESSAGES)) {
    for (const id of known.find(key)) if (isInScope(id, scope)) yield id;
  }
}

/** Undefined where the session is deleted, or empty: any request would continue an empty one. */
async function candidate(
  id: string,
  incoming: IncomingRequest,
  { known, ...ports }: MatchPorts & Pick<MatchOptions, "known">,
): Promise<Candidate | undefined> {
  const opened = await openSession(id, ports);
  if (opened === undefined) return undefined;
  const isOwner = ports.index.find(compactionKeyOf(incoming)).includes(id);
  return { conversation: opened.conversation, aligned: alignLog(incoming, opened.snapshot, { known, isOwner }) };
}

/** The key of the compaction that a request begins with; empty where it does not begin with one. */
function compactionKeyOf({ messages, compactionAt = -1 }: IncomingRequest): string {
  const message = messages[compactionAt];
  return (message && compactionKeys(message)[0]) ?? "";
}

/** Whose compaction it is may have been told to another gateway, or before a restart. */
async function learnOwners(incoming: IncomingRequest, { index, store }: MatchPorts): Promise<void> {
  const key = compactionKeyOf(incoming);
  if (key === "" || index.find(key).length > 0) return;
  const found = await store.search([key], { limit: MOST_CANDIDATES });
  for (const { sessionId } of found.toReversed()) index.add(sessionId, [key]);
}

function newestKeys(incoming: IncomingRequest, count: number): readonly string[] {
  const indexes = incoming.fingerprints.map((_, index) => index).slice(-count);
  return indexes.toReversed().flatMap((index) => keysOf(incoming, index));
}

/** Sessions in the store: by keys, those of other gateways and of earlier days; by name, one that was named before it had a message. */
async function searchStore(incoming: IncomingRequest, store: Store): Promise<readonly string[]> {
  const { scope } = incoming;
  const named = scope === undefined ? undefined : await store.find(scope.id);
  // The first session of a scope has its name: without that one, there are no others.
  if (isAgentNamed(scope) && named === undefined) return [];
  const found = await store.search(newestKeys(incoming, SEARCHED_MESSAGES), { limit: MOST_FOUND_RECORDS });
  const ids = found.map(({ sessionId }) => sessionId).filter((id) => isInScope(id, scope));
  return [...new Set([...ids, ...(named === undefined ? [] : [named.id])])];
}

function isContinued(found: Candidate | undefined, how: "word for word" | "in any words"): boolean {
  const type = found?.aligned.alignment.type;
  if (type === "compacts") return true;
  if (found?.aligned.alignment.type !== "continues") return false;
  return how === "in any words" || found.aligned.alignment.edited.length === 0;
}

/**
 * The session to choose: of those that the request continues, the longest; then those that begin with it, those it diverges from, and last
 * the unrelated ones.
 */
function best(seen: readonly Candidate[]): Candidate | undefined {
  return seen.toSorted((one, other) => rank(other) - rank(one))[0];
}

const FAR = 1_000_000_000;

function rank({ aligned: { alignment, snapshot } }: Candidate): number {
  switch (alignment.type) {
    case "continues":
      return (alignment.edited.length === 0 ? 4 : 3) * FAR + snapshot.log.length;
    case "compacts":
      return 3 * FAR - 1;
    case "begins":
      return 2 * FAR - snapshot.log.length;
    case "diverges":
      return FAR / 2 + alignment.shared;
    case "unrelated":
      return alignment.shared;
  }
}

async function matchCandidate(
  incoming: IncomingRequest,
  found: Candidate | undefined,
  { store, tried, looksBack }: NewSessionPorts & LooksBack,
): Promise<SessionMatch | Taken> {
  if (found === undefined) {
    const { type, id } = await newSessionId(incoming, 0, { store, tried });
    return type === "taken" ? { type, id } : { type: "create", id, isNearAgent: false };
  }
  const { aligned, conversation } = found;
  const { alignment } = aligned;
  switch (alignment.type) {
    case "continues":
      return { type: "continue", conversation, aligned };
    case "compacts":
      return { type: "continue", conversation, aligned };
    case "begins":
      return { type: "replay", conversation, aligned };
    case "diverges":
      return matchDiverged(incoming, found, { shared: alignment.shared, store, tried, looksBack });
    case "unrelated":
      if (keepsNewest(incoming, aligned.snapshot)) {
        return matchDiverged(incoming, found, { shared: alignment.shared, store, tried, looksBack: false });
      }
      return matchUnrelated(incoming, found, { shared: alignment.shared, store, tried });
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
    isWithTools(conversation, snapshot) && (isAgentNamed(incoming.scope) || quotes(incoming, snapshot));
  return { type: "create", id, isNearAgent };
}

/** Whether the agent dropped or summarised old messages, and sends the newest: the request is of the same conversation then. */
function keepsNewest(incoming: IncomingRequest, { log }: SessionSnapshot): boolean {
  const newest = log.findLast(isDistinctive)?.keys ?? [];
  return (
    newest.length > 0 &&
    incoming.fingerprints.some((_, index) => keysOf(incoming, index).some((key) => newest.includes(key)))
  );
}

/** Whether the request and the log have a distinctive message in common. */
function quotes(incoming: IncomingRequest, { log }: SessionSnapshot): boolean {
  const distinctive = new Set(log.filter(isDistinctive).flatMap(({ keys = [] }) => keys));
  return incoming.fingerprints.some((_, index) => keysOf(incoming, index).some((key) => distinctive.has(key)));
}

async function matchDiverged(
  incoming: IncomingRequest,
  { conversation, aligned }: Candidate,
  { shared, looksBack, ...ports }: NewSessionPorts & Divergence & LooksBack,
): Promise<SessionMatch | Taken> {
  const { store } = ports;
  const toVersion = looksBack ? await rewoundVersion(incoming, conversation, { shared, store }) : undefined;
  const isNeeded = conversation.heldMessages() > shared;
  const firstDifferentId = aligned.spoken.messages[shared]?.id;
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
  /** The request diverges from what the session was at a version, and both go on. */
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
      /** Whether the requests of the nearest session bring tools, and is named by the same agent or has something distinctive in common with the request. */
      readonly isNearAgent: boolean;
    };

export type BranchMoment =
  | { readonly toVersion: number }
  | { readonly toMessage: string; readonly includeMessage: false };
