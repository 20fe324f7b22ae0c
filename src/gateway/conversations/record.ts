import { PalimpsestError } from "../../core/errors.ts";
import type { Message } from "../../core/message/message.ts";
import type { Session, SessionSnapshot } from "../../engine/session/session.ts";
import type { ActivityFeed, SessionChange } from "../activity.ts";
import type { ConversationIndex } from "./conversation-index.ts";
import type { Conversation } from "./desk.ts";
import { type Heard, keysOf, newMessages, spokenIn } from "./heard.ts";
import { alignWith, isGone, type LocatePorts, locate } from "./locate.ts";
import type { Place } from "./place.ts";
import { spokenMessages } from "./wire-view.ts";

export interface RecordPorts extends LocatePorts {
  readonly feed: ActivityFeed;
  readonly now: () => number;
}

/** A request that its session's log ends with. */
export interface Recorded {
  readonly conversation: Conversation;
  readonly snapshot: SessionSnapshot;
}

/** Others may write to the same session at the same time; after so many times someone is told. */
const MAX_TRIES = 6;
const MAX_SET_ASIDE = 20;
/** In characters: about so much is taken into a log in one go. */
const STEP_SIZE = 100_000;
/** The newest messages may be said in other words the next time. */
const OVERLAP = 4;

/** What is done with a request in its session, before anyone else may touch that; undefined where others did all the same. */
export type UseRecorded<Value> = (recorded: Recorded) => Promise<Value | undefined>;

export type RecordOutcome<Value> =
  | { readonly type: "recorded"; readonly value: Value }
  /** A longer conversation that begins with it is in the log already. */
  | { readonly type: "replay"; readonly place: Extract<Place, { type: "replay" }> };

/**
 * Makes the log of the session at this place what the request says, then does something with it. Looks for another place where this
 * one turns out not to be the right one.
 */
export async function record<Value>(
  heard: Heard,
  place: Place,
  { use, ...ports }: RecordPorts & { readonly use: UseRecorded<Value> },
): Promise<RecordOutcome<Value>> {
  let at = place;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    if (at.type === "replay") return { type: "replay", place: at };
    const value = await recordAt(heard, at, { ...ports, use });
    if (value !== undefined) return { type: "recorded", value };
    // A branch that was not the right one would not be the next time either.
    at = await locate(heard, ports, { looksBack: at.type !== "branch" });
  }
  throw new PalimpsestError("conflict", "Others kept writing to the session that a request belongs to.");
}

/** Undefined where the session is no longer what the place says. */
async function recordAt<Value>(
  heard: Heard,
  place: Exclude<Place, { type: "replay" }>,
  { use, ...ports }: RecordPorts & { readonly use: UseRecorded<Value> },
): Promise<Value | undefined> {
  const conversation = await enter(place, ports);
  indexNew(heard, conversation, ports.index);
  return conversation.inTurn(async () => {
    // From now on nobody rewinds what this request says.
    conversation.underWay.set(heard.mark, heard.messages.length);
    let value: Value | undefined;
    try {
      const session = await conversation.session();
      if (place.type === "rewind") await rewindTo(heard, { conversation, session, shared: place.shared }, ports);
      const recorded = await extend(heard, { conversation, session }, ports);
      value = recorded && (await use(recorded));
      return value;
    } catch (error) {
      if (!isGone(error)) throw error;
      ports.desk.forget(conversation.id);
      return undefined;
    } finally {
      if (value === undefined) conversation.underWay.delete(heard.mark);
    }
  });
}

/** Of a conversation that is new here, all; later, what each request brings. */
function indexNew(heard: Heard, conversation: Conversation, index: ConversationIndex): void {
  const from = Math.min(conversation.indexed, heard.messages.length);
  const places = heard.fingerprints.map((_, place) => place).slice(Math.max(0, from - OVERLAP));
  index.add(
    conversation.id,
    places.flatMap((place) => keysOf(heard, place)),
  );
  conversation.indexed = heard.messages.length;
}

/** The conversation to write to. */
async function enter(
  place: Exclude<Place, { type: "replay" }>,
  { desk, feed, now }: RecordPorts,
): Promise<Conversation> {
  switch (place.type) {
    case "continue":
    case "rewind":
      // It may have been closed since it was found.
      return desk.conversation(place.conversation.id);
    case "create":
      return desk.conversation(place.id);
    case "branch": {
      const { from, id, moment } = place;
      await from
        .inTurn(async () => (await from.session()).branch(id, moment))
        .then(() => feed.publish({ type: "session", at: now(), sessionId: id, change: "created" }), unlessThere);
      return desk.conversation(id);
    }
  }
}

/** Another request may have made the same branch a moment ago: whether it fits is seen when it is written to. */
function unlessThere(error: unknown): void {
  if (!(error instanceof PalimpsestError && error.code === "invalid-argument")) throw error;
}

interface OpenConversation {
  readonly conversation: Conversation;
  readonly session: Session;
}

async function rewindTo(
  heard: Heard,
  { conversation, session, shared }: OpenConversation & { readonly shared: number },
  ports: RecordPorts,
): Promise<void> {
  const snapshot = await session.snapshot();
  const alignment = alignWith(snapshot, heard);
  const parted = spokenMessages(snapshot.log)[shared]?.id;
  const isAsItWas = "shared" in alignment && alignment.shared === shared;
  if (!isAsItWas || parted === undefined) return;
  const { fingerprints } = spokenIn(spokenMessages(snapshot.log));
  await session.rewind({ toMessage: parted, includeMessage: false });
  conversation.setAside.push({ version: snapshot.version, fingerprints });
  if (conversation.setAside.length > MAX_SET_ASIDE) conversation.setAside.shift();
  publish(ports, conversation, "rewound");
}

/** Appends what is new, and takes over what was said in other words. */
async function extend(
  heard: Heard,
  { conversation, session }: OpenConversation,
  ports: RecordPorts,
): Promise<Recorded | undefined> {
  let snapshot = await session.snapshot();
  let alignment = alignWith(snapshot, heard);
  if (alignment.type === "continues" && alignment.edited.length > 0) {
    if (!(await takeEdits(heard, session, { snapshot, places: alignment.edited }))) return undefined;
    publish(ports, conversation, "updated");
    snapshot = await session.snapshot();
    alignment = alignWith(snapshot, heard);
  }
  if (alignment.type !== "continues" || alignment.edited.length > 0) return undefined;
  const from = spokenMessages(snapshot.log).length;
  const added = newMessages(heard, { from, now: ports.now() });
  for (const step of stepsOf(added)) {
    if (!(await session.appendAfter(snapshot.version, ...step))) return undefined;
    publish(ports, conversation, snapshot.version === 0 ? "created" : "appended");
    snapshot = await session.snapshot();
  }
  return { conversation, snapshot };
}

/** Of a long conversation that comes for the first time, a part after the other: others need not wait for all of it. */
function stepsOf(added: readonly Message[]): readonly (readonly Message[])[] {
  const steps: Message[][] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const message of added) {
    if (size >= STEP_SIZE) {
      steps.push([]);
      size = 0;
    }
    steps.at(-1)?.push(message);
    size += sizeOf(message.content);
  }
  return steps;
}

/** About how many characters something has. */
function sizeOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 1;
  return Object.values(value).reduce((sum: number, each) => sum + sizeOf(each), 0);
}

/** False where the messages are no longer those that were looked at: then nothing is changed. */
async function takeEdits(
  heard: Heard,
  session: Session,
  { snapshot, places }: { readonly snapshot: SessionSnapshot; readonly places: readonly number[] },
): Promise<boolean> {
  const spoken = spokenMessages(snapshot.log);
  const seen = new Map(places.map((place) => [spoken[place]?.id ?? "", { place, key: spoken[place]?.keys?.[0] }]));
  try {
    const asSaidNow = (message: Message): Message => {
      const { place = -1, key } = seen.get(message.id ?? "") ?? {};
      if (message.keys?.[0] !== key) throw new OthersWereFaster();
      return { ...message, content: heard.messages[place]?.content ?? message.content, keys: keysOf(heard, place) };
    };
    await session.update([...seen.keys()], (messages) => messages.map(asSaidNow), { locks: false });
    return true;
  } catch (error) {
    if (error instanceof OthersWereFaster) return false;
    throw error;
  }
}

/** Ends an update that is not meant for what is there by now. */
class OthersWereFaster extends Error {}

function publish({ feed, now }: RecordPorts, { id: sessionId }: Conversation, change: SessionChange): void {
  feed.publish({ type: "session", at: now(), sessionId, change });
}
