import { assert, assertArray, assertFunction } from "../../core/assert.ts";
import { PalimpsestError } from "../../core/errors.ts";
import { messageName, placeOfUnnamed } from "../../core/history/message-name.ts";
import type { Message } from "../../core/message/message.ts";
import { ownMessages } from "../extensions/own-messages.ts";
import { sleep } from "../time-limit.ts";
import type { LiveSession } from "./live-session.ts";
import type { LockOptions } from "./message-locks.ts";

/** Returns the changed form of the messages that it gets: as many, in the same order, with the same ids. */
export type MessageChange = (messages: readonly Message[]) => readonly Message[];

export interface UpdateOptions extends LockOptions {
  /** Whether the messages are locked while they change. Without locks, `change` must check for itself that they are what it expects. @default true */
  readonly locks?: boolean | undefined;
}

const MAX_TRIES = 3;
const FIRST_WAIT_MS = 100;

/**
 * Changes messages, all of them or none, and returns them as they are afterwards. Where another process rewrote the log meanwhile, `change` is called
 * again with the messages as they are by then, so that no change is lost. The messages before the change stay in the session's history.
 */
export async function updateMessages(
  session: LiveSession,
  ids: readonly string[],
  change: MessageChange,
): Promise<readonly Message[]> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    if (tries > 0) await sleep(FIRST_WAIT_MS * 2 ** (tries - 1));
    const changed = await tryUpdate(session, ids, change);
    if (changed !== undefined) return changed;
  }
  throw new PalimpsestError(
    "conflict",
    `Others rewrote the session ${JSON.stringify(session.id)} at each of ${MAX_TRIES} tries to change ${ids.join(", ")}. Try again.`,
  );
}

/** Throws "invalid-argument" for arguments of the wrong type, before anything is locked. */
export function assertUpdate(ids: readonly string[], change: MessageChange): void {
  assertArray("ids", ids);
  assert(ids.length > 0 && new Set(ids).size === ids.length, "ids", ids, "ids of messages, each once");
  assertFunction("change", change);
}

/** Changes the messages once. Undefined where another process rewrote the log meanwhile. */
async function tryUpdate(
  { log, ports }: LiveSession,
  ids: readonly string[],
  change: MessageChange,
): Promise<readonly Message[] | undefined> {
  const base = await log.whole();
  const places = ids.map((id) => findPlace(base.messages, id));
  const before = places.flatMap((place) => base.messages[place] ?? []);
  const given = ownMessages(change(before));
  assertSameIds(given, before);
  const after = before.map((message, index) => withTagsOf(message, given[index] ?? message));
  // By place, not by object: the same message object may have been appended twice.
  const changes = new Map(places.map((place, index) => [place, after[index]]));
  const rewritten = base.messages.map((message, place) => changes.get(place) ?? message);
  // In one write: `verify` takes a change without this event for damage.
  const messageIds = before.map((message, index) => messageName(message, places[index] ?? 0));
  const isKept = await log.commit(base, rewritten, [{ type: "updated", at: ports.now(), messageIds }]);
  if (!isKept) return undefined;
  const { messages } = await log.whole();
  // Another process may have rewritten the log right behind this write: then other messages are at these places.
  return after.map((message, index) => {
    const now = messages[places[index] ?? -1];
    return now !== undefined && now.id === message.id ? now : message;
  });
}

/** The index of the message with this id or, for a message without one, with the name that recall and ledgers give it. Throws "not-found". */
function findPlace(messages: readonly Message[], id: string): number {
  const named = messages.findLastIndex((message) => message.id === id);
  const place = named >= 0 ? named : placeOfUnnamed(messages, id);
  if (place !== undefined) return place;
  throw new PalimpsestError("not-found", `The log has no message with the id ${JSON.stringify(id)}.`);
}

function assertSameIds(after: readonly Message[], before: readonly Message[]): void {
  const [given, had] = [after, before].map((messages) => messages.map(({ id }) => id));
  const isSame = given?.length === had?.length && given?.every((id, index) => id === had?.[index]) === true;
  const ids = had?.map((id) => id ?? "none").join(", ");
  assert(isSame, "what change returned", given, `messages with the ids ${ids}, in this order`);
}

/** The changed message with the fold tags of the original: only the operations on folds may change these. */
function withTagsOf(message: Message, changed: Message): Message {
  const { isSummary, condenseId, condenseParent, isTruncationMarker, truncationId, truncationParent } = message;
  const { compaction, folds } = message;
  const marks = { isSummary, condenseId, isTruncationMarker, truncationId, compaction };
  const tags = { ...marks, condenseParent, truncationParent, folds };
  const bare = { ...changed };
  for (const name of Object.keys(tags)) Reflect.deleteProperty(bare, name);
  return Object.assign(bare, Object.fromEntries(Object.entries(tags).filter(([, value]) => value !== undefined)));
}
