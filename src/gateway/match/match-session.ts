import type { Message } from "../../core/message/message.ts";
import type { Conversation } from "../sessions/session-pool.ts";
import type { AlignedLog } from "./align-log.ts";
import { type Candidate, type MatchPorts, openCandidates } from "./find-candidates.ts";
import { isDistinctive } from "./fingerprints.ts";
import { type IncomingRequest, keysOf } from "./incoming-request.ts";
import { type Divergence, type NewSessionPorts, newSessionId, rewoundVersion } from "./new-session.ts";
import { isAgentNamed } from "./scope.ts";
import { isWithTools } from "./tool-use.ts";

export interface MatchOptions {
  /** Whether to look for a rewound branch that the request continues. @default true */
  readonly searchesRewound?: boolean;
  /** How the same request was aligned before: a log that has not changed since is not compared again. */
  readonly known?: AlignedLog | undefined;
}

type SearchesRewound = Required<Pick<MatchOptions, "searchesRewound">>;

/**
 * Finds the session that a request belongs to, or says which session to make for it. Writes neither a log nor the store. The index learns which
 * sessions own the compaction that the request begins with, where the store knows that.
 */
export async function matchSession(
  incoming: IncomingRequest,
  ports: MatchPorts,
  { searchesRewound = true, known }: MatchOptions = {},
): Promise<SessionMatch> {
  const candidates = openCandidates(incoming, { ...ports, known });
  await candidates.search();
  const { compared } = candidates;
  for (;;) {
    const match = await matchCandidate(incoming, candidates.best(), { ...ports, searchesRewound, compared });
    if (match.type !== "taken") return match;
    await candidates.compare(match.id);
  }
}

/** The id for a new session is taken: that session must be compared with the request first. */
interface Taken {
  readonly type: "taken";
  readonly id: string;
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
