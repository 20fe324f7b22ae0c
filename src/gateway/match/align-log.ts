import { effectiveView } from "../../core/message/effective-view.ts";
import type { Message } from "../../core/message/message.ts";
import { rebase } from "../../core/tokens/forecast.ts";
import type { Session } from "../../engine/session/session.ts";
import type { OutlinedSession, SessionSnapshot } from "../../engine/session/session-snapshot.ts";
import { type Alignment, align } from "./align.ts";
import { compactedUpTo, windowOffset } from "./compacted-window.ts";
import type { IncomingRequest } from "./incoming-request.ts";
import {
  type FingerprintedMessages,
  factsOf,
  type KnownSession,
  type SaidMessages,
  saidIn,
  saidInOutline,
} from "./log-facts.ts";
import { isAgentNamed } from "./scope.ts";

/** A snapshot of a session, and how a request relates to its log. */
export interface AlignedLog {
  readonly incoming: IncomingRequest;
  readonly snapshot: KnownSession;
  /** The messages of the log without stand-ins, starting with the one that the request begins with. */
  readonly said: SaidMessages;
  /** How many messages of the log come before `said`: the compaction that the request begins with replaces them. 0 without a compaction. */
  readonly offset: number;
  /** Whether a reply to this session is known to have brought the compaction that the request begins with. */
  readonly isOwner: boolean;
  readonly alignment: Alignment;
}

export interface AlignLogOptions {
  /** An earlier alignment with the session: it is reused if the request and the log are still the same. */
  readonly known?: AlignedLog | undefined;
  /** Whether a reply to the session brought the compaction that the request begins with. @default as in `known` */
  readonly isOwner?: boolean;
}

/** Aligns a request with a session. Hidden messages are read from the store only if the request does more than repeat the log and go on. */
export async function alignSession(
  incoming: IncomingRequest,
  session: Session,
  options: AlignLogOptions = {},
): Promise<AlignedLog> {
  const current = await session.outline();
  const aligned = current.log === undefined ? alignOutlined(incoming, current, options) : undefined;
  return aligned ?? alignLog(incoming, current.log === undefined ? await session.snapshot() : current, options);
}

/** Aligns a request by the hashes of a log's outline; undefined where the request does not begin with the log, word for word. */
function alignOutlined(
  incoming: IncomingRequest,
  snapshot: OutlinedSession,
  { known }: AlignLogOptions,
): AlignedLog | undefined {
  if (known?.incoming === incoming && known.snapshot.outline === snapshot.outline) return { ...known, snapshot };
  // A request that begins with a compaction holds only the end of the log, and outlines are compared from the first message on.
  if (incoming.compactionAt !== undefined) return undefined;
  const said = saidInOutline(snapshot.outline, incoming.fingerprints);
  if (said === undefined) return undefined;
  return { incoming, snapshot, isOwner: false, said, offset: 0, alignment: { type: "continues", edited: [] } };
}

/**
 * Aligns a request with a session's log. Snapshots share one array until the log changes: if `known` is of the same array and the same request,
 * it is reused.
 */
export function alignLog(
  incoming: IncomingRequest,
  snapshot: SessionSnapshot,
  { known, isOwner: isFound = false }: AlignLogOptions = {},
): AlignedLog {
  if (known?.incoming === incoming && known.snapshot.log === snapshot.log) return { ...known, snapshot };
  const isOwner = isFound || (known?.incoming === incoming && known.isOwner);
  const isSameAgent = isAgentNamed(incoming.scope);
  const logged = factsOf(snapshot.log).said;
  const { compactionAt } = incoming;
  const base = { incoming, snapshot, isOwner };
  if (compactionAt !== undefined && compactionAt > 0) {
    // The user's messages before the compaction may be the whole conversation so far.
    const alignment = align(logged, incoming, { isSameAgent });
    if (alignment.type === "continues") return { ...base, said: saidIn(logged), offset: 0, alignment };
  }
  const offset = compactionAt === undefined ? 0 : windowOffset(logged, incoming, compactionAt);
  if (compactionAt !== undefined && offset === undefined) {
    const upTo = compactedUpTo(logged, incoming, { place: compactionAt, isOwned: isOwner || isSameAgent });
    if (upTo !== undefined) {
      return { ...base, said: saidIn(NO_MESSAGES), offset: upTo, alignment: { type: "compacts", upTo } };
    }
  }
  const window = from(logged, offset ?? 0);
  return { ...base, said: saidIn(window), offset: offset ?? 0, alignment: align(window, incoming, { isSameAgent }) };
}

/**
 * How many messages of a log come before those of a request that was written to it; undefined where the log does not end with the request any more,
 * as after a later one.
 */
export function windowIn(
  { messages, fingerprints, compactionAt }: IncomingRequest,
  log: readonly Message[],
): number | undefined {
  const logged = factsOf(log).said;
  const isWhole = logged.messages.length === messages.length;
  if (compactionAt === undefined) return isWhole ? 0 : undefined;
  if (isWhole && logged.fingerprints[0] === fingerprints[0]) return 0;
  const offset = windowOffset(logged, { messages, fingerprints }, compactionAt);
  return offset !== undefined && offset + messages.length === logged.messages.length ? offset : undefined;
}

/**
 * Aligns a request that is the beginning of a session's log with that log as it was before it grew further. The folds of that moment give the bytes
 * that were sent first, and those that the session shows again once it is rewound there. Undefined where the log was not equal to the request then.
 */
export async function alignEarlier(aligned: AlignedLog, session: Session): Promise<AlignedLog | undefined> {
  const { incoming, snapshot, said, isOwner } = aligned;
  const nextId = said.at(incoming.messages.length)?.id;
  const history = await session.history();
  const next = history
    .pathTo(snapshot.version)
    .findLast(({ record }) => record.type === "message" && record.message.id === nextId);
  if (nextId === undefined || next === undefined) return undefined;
  const version = next.version - 1;
  const log = history.logAt(version);
  // What the session learned about its prompt's size holds for another view.
  const forecast = { state: rebase(snapshot.forecast.state), viewMessages: 0 };
  const then: SessionSnapshot = {
    ...snapshot,
    outline: undefined,
    version,
    log,
    view: effectiveView(log),
    forecast,
    nextForecast: forecast,
  };
  const earlier = alignLog(incoming, then, { isOwner });
  const isAll = earlier.alignment.type === "continues" && earlier.said.count === incoming.messages.length;
  return isAll ? earlier : undefined;
}

const NO_MESSAGES: FingerprintedMessages = { messages: [], fingerprints: [] };

function from({ messages, fingerprints }: FingerprintedMessages, start: number): FingerprintedMessages {
  return start === 0
    ? { messages, fingerprints }
    : { messages: messages.slice(start), fingerprints: fingerprints.slice(start) };
}
