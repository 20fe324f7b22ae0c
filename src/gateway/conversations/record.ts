import { PalimpsestError } from "../../core/errors.ts";
import type { Message } from "../../core/message/message.ts";
import type { Session, SessionSnapshot } from "../../engine/session/session.ts";
import type { ActivityFeed, SessionChange } from "../activity.ts";
import type { Conversation } from "./desk.ts";
import { type Heard, keysOf, newMessages, spokenIn } from "./heard.ts";
import { alignWith, type LocatePorts, locate, type Place } from "./locate.ts";
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

/** Makes the log of the session at this place what the request says, and looks for another place where it is not the right one. */
export async function record(heard: Heard, place: Place, ports: RecordPorts): Promise<Recorded> {
  let at = place;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const recorded = await recordAt(heard, at, ports);
    if (recorded !== undefined) return recorded;
    at = await locate(heard, ports);
  }
  throw new PalimpsestError("conflict", "Others kept writing to the session that a request belongs to.");
}

/** Undefined where the session is no longer what the place says. */
async function recordAt(heard: Heard, place: Place, ports: RecordPorts): Promise<Recorded | undefined> {
  const conversation = await enter(place, ports);
  ports.index.add(
    conversation.id,
    heard.fingerprints.flatMap((_, index) => keysOf(heard, index)),
  );
  return conversation.inTurn(async () => {
    const session = await conversation.session();
    if (place.type === "rewind") await rewindTo(heard, { conversation, session, shared: place.shared }, ports);
    return extend(heard, { conversation, session }, ports);
  });
}

/** The conversation to write to. */
async function enter(place: Place, { desk, feed, now }: RecordPorts): Promise<Conversation> {
  switch (place.type) {
    case "continue":
    case "rewind":
      return place.conversation;
    case "create":
      return desk.conversation(place.id);
    case "replay":
      throw new PalimpsestError("invalid-argument", "What only begins a log is not written to it.");
    case "branch": {
      const { from, id, moment } = place;
      await from.inTurn(async () => (await from.session()).branch(id, moment)).catch(unlessThere);
      feed.publish({ type: "session", at: now(), sessionId: id, change: "created" });
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
  if (alignment.type !== "parts" || alignment.shared !== shared || parted === undefined) return;
  const { fingerprints } = spokenIn(spokenMessages(snapshot.log));
  conversation.setAside.push({ version: snapshot.version, fingerprints });
  if (conversation.setAside.length > MAX_SET_ASIDE) conversation.setAside.shift();
  await session.rewind({ toMessage: parted, includeMessage: false });
  publish(ports, conversation, "rewound");
}

/** Appends what is new, and takes over what was said in other words. */
async function extend(
  heard: Heard,
  { conversation, session }: OpenConversation,
  ports: RecordPorts,
): Promise<Recorded | undefined> {
  const before = await session.snapshot();
  const alignment = alignWith(before, heard);
  if (alignment.type !== "continues") return undefined;
  if (alignment.edited.length > 0) {
    await session.update(...edits(heard, spokenMessages(before.log), alignment.edited));
    publish(ports, conversation, "updated");
  }
  const snapshot = alignment.edited.length > 0 ? await session.snapshot() : before;
  const from = spokenMessages(snapshot.log).length;
  const added = newMessages(heard, { from, now: ports.now() });
  if (added.length === 0) return { conversation, snapshot };
  if (!(await session.appendAfter(snapshot.version, ...added))) return undefined;
  publish(ports, conversation, snapshot.version === 0 ? "created" : "appended");
  return { conversation, snapshot: await session.snapshot() };
}

function edits(
  heard: Heard,
  spoken: readonly Message[],
  places: readonly number[],
): [ids: readonly string[], change: (messages: readonly Message[]) => readonly Message[]] {
  const placeOf = new Map(places.map((place) => [spoken[place]?.id ?? "", place]));
  const asItIsNow = (message: Message): Message => {
    const place = placeOf.get(message.id ?? "") ?? -1;
    return { ...message, content: heard.messages[place]?.content ?? message.content, keys: keysOf(heard, place) };
  };
  return [[...placeOf.keys()], (messages) => messages.map(asItIsNow)];
}

function publish({ feed, now }: RecordPorts, { id: sessionId }: Conversation, change: SessionChange): void {
  feed.publish({ type: "session", at: now(), sessionId, change });
}
