import { PalimpsestError } from "../../core/errors.ts";
import { showsCompaction } from "../../core/message/compaction.ts";
import type { Message } from "../../core/message/message.ts";
import type { Session } from "../../engine/session/session.ts";
import type { ActivityFeed, SessionChange } from "../activity.ts";
import { type AlignedLog, alignSession } from "../match/align-log.ts";
import { compactionPlace } from "../match/compacted-window.ts";
import type { MatchPorts } from "../match/find-candidates.ts";
import { type IncomingRequest, keysOf, type NewMessagesOptions, newMessage } from "../match/incoming-request.ts";
import { factsOf, type SaidMessages } from "../match/log-facts.ts";
import { matchSession, type SessionMatch } from "../match/match-session.ts";
import { isGone } from "../match/open-session.ts";
import { batchesOf } from "../message-batches.ts";
import type { Conversation, SessionLease } from "../sessions/session-pool.ts";

export interface RecordPorts extends MatchPorts {
  readonly feed: ActivityFeed;
  readonly now: () => number;
}

/** A request that has been written to its session's log. */
export interface Recorded {
  readonly conversation: Conversation;
  /** How the request was aligned with the log right before its new messages were appended. */
  readonly aligned: AlignedLog;
  /** The lease is held until the reply has ended. */
  readonly lease: SessionLease;
}

/** How often recording is tried before it fails with a conflict: other writers may change the session at the same time. */
const MAX_TRIES = 6;
const MAX_REWOUND_BRANCHES = 20;
/** Messages are appended to a log in batches: other writers get their turn between two of them, and need not wait for all of a long conversation. */
const APPENDED_BATCH = { messages: 64, size: 40_000, sizeOf: ({ content }: Message) => sizeOf(content) };
/** How many of a conversation's last indexed messages are indexed again with its next request, as agents edit the newest ones. */
const OVERLAP = 4;

/**
 * Called with a request that was written to its session, before the conversation's next task. Resolves with undefined where another process has
 * changed the session since: then the request is matched and recorded again.
 */
export type UseRecorded<Value> = (recorded: Recorded) => Promise<Value | undefined>;

export type RecordOutcome<Value> =
  | { readonly type: "recorded"; readonly value: Value }
  /** The log already holds a longer conversation that begins with the request. */
  | { readonly type: "replay"; readonly match: Extract<SessionMatch, { type: "replay" }> };

/**
 * Makes the log of the matched session equal to the request, then calls `use`. If the session has changed since it was matched, the request is
 * matched again. Rejects with "conflict" after too many tries.
 */
export async function record<Value>(
  incoming: IncomingRequest,
  firstMatch: SessionMatch,
  { use, ...ports }: RecordPorts & { readonly use: UseRecorded<Value> },
): Promise<RecordOutcome<Value>> {
  let match = firstMatch;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    if (match.type === "replay") return { type: "replay", match };
    const value = await recordAt(incoming, match, { ...ports, use });
    if (value !== undefined) return { type: "recorded", value };
    // A branch that did not fit the request would not fit the next time either.
    match = await matchSession(incoming, ports, { searchesRewound: match.type !== "branch", known: alignedIn(match) });
  }
  throw new PalimpsestError("conflict", "Others kept writing to the session that a request belongs to.");
}

function alignedIn(match: SessionMatch): AlignedLog | undefined {
  return match.type === "create" ? undefined : match.aligned;
}

/** Records a request in the session that it matches; undefined where that session has changed since it was matched. */
async function recordAt<Value>(
  incoming: IncomingRequest,
  match: Exclude<SessionMatch, { type: "replay" }>,
  { use, ...ports }: RecordPorts & { readonly use: UseRecorded<Value> },
): Promise<Value | undefined> {
  const conversation = await openForWriting(match, ports);
  await indexNew(incoming, conversation, ports);
  return conversation.enqueue(async () => {
    // From now on no other request rewinds the messages of this one.
    const lease = conversation.hold(incoming.messages.length);
    let value: Value | undefined;
    try {
      const session = await conversation.session();
      const known = alignedIn(match);
      if (match.type === "rewind") await rewindTo(match.shared, { incoming, conversation, session, known }, ports);
      const aligned = await extend({ incoming, conversation, session, known }, ports);
      value = aligned && (await use({ conversation, aligned, lease }));
      return value;
    } catch (error) {
      if (!isGone(error)) throw error;
      ports.pool.forget(conversation.id);
      return undefined;
    } finally {
      if (value === undefined) lease.dispose();
    }
  });
}

/** Adds the messages of a request to the session index: all of them where the conversation is new to this gateway, else the new ones. */
async function indexNew(
  incoming: IncomingRequest,
  conversation: Conversation,
  { index: sessions, pacers }: Pick<RecordPorts, "index" | "pacers">,
): Promise<void> {
  const from = Math.max(0, Math.min(conversation.indexed, incoming.messages.length) - OVERLAP);
  conversation.indexed = incoming.messages.length;
  const pacer = pacers.pacer();
  for (let index = from; index < incoming.fingerprints.length; index++) {
    sessions.add(conversation.id, keysOf(incoming, index));
    const paused = pacer.pause();
    if (paused !== undefined) await paused;
  }
}

/** Gives the conversation that a request is written to, and makes the branch that its match asks for. */
async function openForWriting(
  match: Exclude<SessionMatch, { type: "replay" }>,
  { pool, feed, now }: RecordPorts,
): Promise<Conversation> {
  switch (match.type) {
    case "continue":
    case "rewind":
      // The conversation may have been closed since it was found.
      return pool.conversation(match.conversation.id);
    case "create":
      return pool.conversation(match.id);
    case "branch": {
      const { from, id, moment } = match;
      await from
        .enqueue(async () => (await from.session()).branch(id, moment))
        .then(() => feed.publish({ type: "session", at: now(), sessionId: id, change: "created" }), ignoreExisting);
      return pool.conversation(id);
    }
  }
}

/** Ignores that a branch exists already: another request may have just made it. Whether it fits is found when it is written to. */
function ignoreExisting(error: unknown): void {
  if (!(error instanceof PalimpsestError && error.code === "invalid-argument")) throw error;
}

/** A request, and the session that it is being written to. */
interface Recording {
  readonly incoming: IncomingRequest;
  readonly conversation: Conversation;
  readonly session: Session;
  /** How the request was aligned when its session was found; undefined where that is a new one. */
  readonly known: AlignedLog | undefined;
}

/** Rewinds a session to the messages that it shares with a request, unless its log no longer diverges from the request right there. */
async function rewindTo(
  shared: number,
  { incoming, conversation, session, known }: Recording,
  ports: RecordPorts,
): Promise<void> {
  const { snapshot, said, alignment } = await alignSession(incoming, session, { known });
  const firstDifferentId = said.at(shared)?.id;
  const isUnchanged = "shared" in alignment && alignment.shared === shared;
  if (!isUnchanged || firstDifferentId === undefined) return;
  await session.rewind({ toMessage: firstDifferentId, includeMessage: false });
  conversation.rewoundBranches.push({ version: snapshot.version, fingerprints: fingerprintsOf(said) });
  if (conversation.rewoundBranches.length > MAX_REWOUND_BRANCHES) conversation.rewoundBranches.shift();
  publish(ports, conversation, "rewound");
}

function fingerprintsOf({ count, fingerprintAt }: SaidMessages): readonly string[] {
  return Array.from({ length: count }, (_, index) => fingerprintAt(index) ?? "");
}

/**
 * Replaces the log's messages that the request has in other words, and appends its new ones. Gives the alignment before that append; undefined
 * where another process changed the log meanwhile, or the request no longer continues it.
 */
async function extend(recording: Recording, ports: RecordPorts): Promise<AlignedLog | undefined> {
  const { incoming, conversation, session, known } = recording;
  // The append itself fails if somebody wrote since the request was matched: only then the log is read again.
  if (known !== undefined && addsTo(known, incoming) && (await appendNew(known, recording, ports))) return known;
  let aligned = await alignWindow(recording, ports);
  if (aligned.alignment.type === "continues" && aligned.alignment.edited.length > 0) {
    if (!(await replaceEdited(session, aligned, aligned.alignment.edited))) return undefined;
    publish(ports, conversation, "updated");
    aligned = await alignSession(incoming, session);
  }
  const { alignment } = aligned;
  if (alignment.type === "continues" ? alignment.edited.length > 0 : alignment.type !== "compacts") return undefined;
  return (await appendNew(aligned, recording, ports)) ? aligned : undefined;
}

/** Whether a request only adds messages to the log that it was aligned with. */
function addsTo({ alignment, said, incoming: aligned }: AlignedLog, incoming: IncomingRequest): boolean {
  const isUnedited = aligned === incoming && alignment.type === "continues" && alignment.edited.length === 0;
  return isUnedited && incoming.messages.length > said.count;
}

/** Appends the request's new messages to the log that it was aligned with; false where another process wrote to the log meanwhile. */
async function appendNew(
  { alignment, said: logged, snapshot, offset }: AlignedLog,
  { incoming, conversation, session }: Recording,
  ports: RecordPorts,
): Promise<boolean> {
  const messages = await newMessagesPaced(incoming, { from: logged.count, now: ports.now(), offset }, ports);
  const added = alignment.type === "compacts" ? markRetained(messages) : messages;
  let { version } = snapshot;
  for (const batch of batchesOf(added, APPENDED_BATCH)) {
    if (!(await session.appendAfter(version, ...batch))) return false;
    publish(ports, conversation, version === 0 ? "created" : "appended");
    version += batch.length;
  }
  if (added.some(showsCompaction)) await session.hideCompacted();
  return true;
}

/** The messages of a request from the index `from` on, as a log keeps them. Made with pauses, as there may be many. */
async function newMessagesPaced(
  incoming: IncomingRequest,
  options: NewMessagesOptions,
  { pacers }: Pick<RecordPorts, "pacers">,
): Promise<readonly Message[]> {
  const messages: Message[] = [];
  const pacer = pacers.pacer();
  for (let index = options.from; index < incoming.messages.length; index++) {
    messages.push(...newMessage(incoming, index, options));
    const paused = pacer.pause();
    if (paused !== undefined) await paused;
  }
  return messages;
}

/**
 * Aligns a request with the session. If it begins with a new compaction of the provider's, the log's messages that the compaction does not cover
 * are rewound: the request repeats them after the compaction.
 */
async function alignWindow({ incoming, session, conversation, known }: Recording, ports: RecordPorts) {
  const aligned = await alignSession(incoming, session, { known });
  if (aligned.alignment.type !== "compacts") return aligned;
  const firstBehind = factsOf(aligned.snapshot.log ?? []).said.messages[aligned.alignment.upTo]?.id;
  if (firstBehind === undefined) return aligned;
  await session.rewind({ toMessage: firstBehind, includeMessage: false });
  publish(ports, conversation, "rewound");
  return alignSession(incoming, session, { known: aligned });
}

/** Marks the messages before the compaction in a compacted window as retained: the log has them already. */
function markRetained(messages: readonly Message[]): readonly Message[] {
  const place = compactionPlace(messages) ?? 0;
  return messages.map((message, index) => (index < place ? { ...message, isRetained: true } : message));
}

/** About how many characters a message's content has. */
function sizeOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 1;
  return Object.values(value).reduce((sum: number, each) => sum + sizeOf(each), 0);
}

/** Replaces the logged messages that the request has in other words; false, with nothing changed, where another process edited them meanwhile. */
async function replaceEdited(
  session: Session,
  { incoming, said }: AlignedLog,
  edited: readonly number[],
): Promise<boolean> {
  const logged = new Map(edited.map((index) => [said.at(index)?.id ?? "", { index, key: said.at(index)?.keys?.[0] }]));
  try {
    const asInRequest = (message: Message): Message => {
      const { index = -1, key } = logged.get(message.id ?? "") ?? {};
      if (message.keys?.[0] !== key) throw new LostRace();
      return {
        ...message,
        content: incoming.messages[index]?.content ?? message.content,
        keys: keysOf(incoming, index),
      };
    };
    await session.update([...logged.keys()], (current) => current.map(asInRequest), { locks: false });
    return true;
  } catch (error) {
    if (error instanceof LostRace) return false;
    throw error;
  }
}

/** Thrown inside an update to cancel it: another process changed the messages first. */
class LostRace extends Error {}

function publish({ feed, now }: RecordPorts, { id: sessionId }: Conversation, change: SessionChange): void {
  feed.publish({ type: "session", at: now(), sessionId, change });
}
