import { PalimpsestError } from "../../core/errors.ts";
import { showsCompaction } from "../../core/message/compaction.ts";
import type { Message } from "../../core/message/message.ts";
import type { Session } from "../../engine/session/session.ts";
import type { ActivityFeed, SessionChange } from "../activity.ts";
import { type AlignedLog, alignLog } from "../match/align.ts";
import { compactionPlace } from "../match/compacted-window.ts";
import { type IncomingRequest, keysOf, type NewMessagesOptions, newMessage } from "../match/incoming-request.ts";
import { factsOf } from "../match/log-facts.ts";
import { type MatchPorts, matchSession, type SessionMatch } from "../match/match-session.ts";
import { isGone } from "../match/open-session.ts";
import type { PacerPool } from "../pacer.ts";
import type { Conversation, SessionLease } from "../sessions/session-pool.ts";

export interface RecordPorts extends MatchPorts {
  readonly feed: ActivityFeed;
  readonly now: () => number;
  readonly pacers: PacerPool;
}

/** A request that its session's log ends with. */
export interface Recorded {
  readonly conversation: Conversation;
  /** How it was aligned with the log right before what is new in it was appended. */
  readonly aligned: AlignedLog;
  /** The lease is held until the reply has ended. */
  readonly lease: SessionLease;
}

/** Others may write to the same session at the same time; after so many times the request fails with a conflict. */
const MAX_TRIES = 6;
const MAX_REWOUND_BRANCHES = 20;
/** In characters. About so much is appended to a log at a time, and no more than so many messages: others have their turn in between. */
const STEP_SIZE = 40_000;
const STEP_MESSAGES = 64;
/** So many messages are indexed again with the next request: the newest may come in other words then. */
const OVERLAP = 4;

/**
 * Runs with a request that was written to its session, before the next task of that conversation; undefined where another process changed
 * the session all the same.
 */
export type UseRecorded<Value> = (recorded: Recorded) => Promise<Value | undefined>;

export type RecordOutcome<Value> =
  | { readonly type: "recorded"; readonly value: Value }
  /** A longer conversation that begins with it is in the log already. */
  | { readonly type: "replay"; readonly match: Extract<SessionMatch, { type: "replay" }> };

/**
 * Makes the log of the session of this match what the request says, then does something with it. Looks for another one where this
 * one turns out not to be the right one.
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
    // A branch whose log was not what the request says would not be the next time either.
    match = await matchSession(incoming, ports, { looksBack: match.type !== "branch", known: alignedIn(match) });
  }
  throw new PalimpsestError("conflict", "Others kept writing to the session that a request belongs to.");
}

function alignedIn(match: SessionMatch): AlignedLog | undefined {
  return match.type === "create" ? undefined : match.aligned;
}

/** Undefined where the session is no longer what the match says. */
async function recordAt<Value>(
  incoming: IncomingRequest,
  match: Exclude<SessionMatch, { type: "replay" }>,
  { use, ...ports }: RecordPorts & { readonly use: UseRecorded<Value> },
): Promise<Value | undefined> {
  const conversation = await enter(match, ports);
  await indexNew(incoming, conversation, ports);
  return conversation.enqueue(async () => {
    // From now on nobody rewinds what this request says.
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

/** Indexes the messages of a request: all where its conversation is new to this gateway, else those that are new in it. */
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

/** The conversation to write to. */
async function enter(
  match: Exclude<SessionMatch, { type: "replay" }>,
  { pool, feed, now }: RecordPorts,
): Promise<Conversation> {
  switch (match.type) {
    case "continue":
    case "rewind":
      // It may have been closed since it was found.
      return pool.conversation(match.conversation.id);
    case "create":
      return pool.conversation(match.id);
    case "branch": {
      const { from, id, moment } = match;
      await from
        .enqueue(async () => (await from.session()).branch(id, moment))
        .then(() => feed.publish({ type: "session", at: now(), sessionId: id, change: "created" }), unlessThere);
      return pool.conversation(id);
    }
  }
}

/** Another request may have made the same branch a moment ago: whether it fits is seen when it is written to. */
function unlessThere(error: unknown): void {
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

async function rewindTo(
  shared: number,
  { incoming, conversation, session, known }: Recording,
  ports: RecordPorts,
): Promise<void> {
  const { snapshot, spoken, alignment } = alignLog(incoming, await session.snapshot(), { known });
  const firstDifferentId = spoken.messages[shared]?.id;
  const isAsItWas = "shared" in alignment && alignment.shared === shared;
  if (!isAsItWas || firstDifferentId === undefined) return;
  await session.rewind({ toMessage: firstDifferentId, includeMessage: false });
  conversation.rewoundBranches.push({ version: snapshot.version, fingerprints: spoken.fingerprints });
  if (conversation.rewoundBranches.length > MAX_REWOUND_BRANCHES) conversation.rewoundBranches.shift();
  publish(ports, conversation, "rewound");
}

/** Appends what is new, and takes over what was said in other words. */
async function extend(recording: Recording, ports: RecordPorts): Promise<AlignedLog | undefined> {
  const { incoming, conversation, session, known } = recording;
  // An append says itself whether anybody wrote since the request was matched: only then the log is looked at again.
  if (known !== undefined && addsTo(known, incoming) && (await appendSaid(known, recording, ports))) return known;
  let aligned = await alignWindow(recording, ports);
  if (aligned.alignment.type === "continues" && aligned.alignment.edited.length > 0) {
    if (!(await takeEdits(session, aligned, aligned.alignment.edited))) return undefined;
    publish(ports, conversation, "updated");
    aligned = alignLog(incoming, await session.snapshot());
  }
  const { alignment } = aligned;
  if (alignment.type === "continues" ? alignment.edited.length > 0 : alignment.type !== "compacts") return undefined;
  return (await appendSaid(aligned, recording, ports)) ? aligned : undefined;
}

/** Whether a request says something behind a log that it goes on with, word for word. */
function addsTo({ alignment, spoken, incoming: aligned }: AlignedLog, incoming: IncomingRequest): boolean {
  const goesOn = aligned === incoming && alignment.type === "continues" && alignment.edited.length === 0;
  return goesOn && incoming.messages.length > spoken.messages.length;
}

/** Appends what the request says behind the log that it was aligned with; false where somebody wrote to it meanwhile. */
async function appendSaid(
  { alignment, spoken, snapshot, offset }: AlignedLog,
  { incoming, conversation, session }: Recording,
  ports: RecordPorts,
): Promise<boolean> {
  const said = await newMessages(incoming, { from: spoken.messages.length, now: ports.now(), offset }, ports);
  const added = alignment.type === "compacts" ? markRetained(said) : said;
  let { version } = snapshot;
  for (const step of stepsOf(added)) {
    if (!(await session.appendAfter(version, ...step))) return false;
    publish(ports, conversation, version === 0 ? "created" : "appended");
    version += step.length;
  }
  if (added.some(showsCompaction)) await session.hideCompacted();
  return true;
}

/** The messages from a place on, as a log keeps them. */
async function newMessages(
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

/** Aligns a request; what a new compaction of the provider's does not stand for is rewound, as the request says it once more behind it. */
async function alignWindow({ incoming, session, conversation, known }: Recording, ports: RecordPorts) {
  const aligned = alignLog(incoming, await session.snapshot(), { known });
  if (aligned.alignment.type !== "compacts") return aligned;
  const firstBehind = factsOf(aligned.snapshot.log).spoken.messages[aligned.alignment.upTo]?.id;
  if (firstBehind === undefined) return aligned;
  await session.rewind({ toMessage: firstBehind, includeMessage: false });
  publish(ports, conversation, "rewound");
  return alignLog(incoming, await session.snapshot(), { known: aligned });
}

/** What stands before the compaction in a compacted window was said before: it is marked as retained. */
function markRetained(messages: readonly Message[]): readonly Message[] {
  const place = compactionPlace(messages) ?? 0;
  return messages.map((message, index) => (index < place ? { ...message, isRetained: true } : message));
}

/** The parts in which messages are appended: with a long conversation that comes for the first time, other writers need not wait for all of it. */
function stepsOf(added: readonly Message[]): readonly (readonly Message[])[] {
  const steps: Message[][] = [];
  let size = 0;
  let step: Message[] = [];
  for (const message of added) {
    step.push(message);
    size += sizeOf(message.content);
    if (size < STEP_SIZE && step.length < STEP_MESSAGES) continue;
    steps.push(step);
    step = [];
    size = 0;
  }
  return step.length === 0 ? steps : [...steps, step];
}

/** About how many characters something has. */
function sizeOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 1;
  return Object.values(value).reduce((sum: number, each) => sum + sizeOf(each), 0);
}

/** False where the messages are no longer those that were looked at: then nothing is changed. */
async function takeEdits(
  session: Session,
  { incoming, spoken: { messages } }: AlignedLog,
  edited: readonly number[],
): Promise<boolean> {
  const seen = new Map(edited.map((index) => [messages[index]?.id ?? "", { index, key: messages[index]?.keys?.[0] }]));
  try {
    const asSaidNow = (message: Message): Message => {
      const { index = -1, key } = seen.get(message.id ?? "") ?? {};
      if (message.keys?.[0] !== key) throw new LostRace();
      return {
        ...message,
        content: incoming.messages[index]?.content ?? message.content,
        keys: keysOf(incoming, index),
      };
    };
    await session.update([...seen.keys()], (current) => current.map(asSaidNow), { locks: false });
    return true;
  } catch (error) {
    if (error instanceof LostRace) return false;
    throw error;
  }
}

/** Ends an update that is not meant for what is there by now. */
class LostRace extends Error {}

function publish({ feed, now }: RecordPorts, { id: sessionId }: Conversation, change: SessionChange): void {
  feed.publish({ type: "session", at: now(), sessionId, change });
}
