import { PalimpsestError } from "../../core/errors.ts";
import type { Store } from "../../core/ports/store.ts";
import type { SessionSnapshot } from "../../engine/session/session.ts";
import { type Alignment, align } from "./align.ts";
import type { ConversationIndex } from "./conversation-index.ts";
import type { Conversation, Desk } from "./desk.ts";
import { type Heard, keysOf, spokenIn } from "./heard.ts";
import { type NewSessionPorts, newSessionId } from "./new-session-id.ts";
import type { BranchMoment, Place } from "./place.ts";
import { isAgentNamed, isInScope } from "./scope.ts";
import { type Parting, setAsideVersion } from "./set-aside.ts";
import { hasCalls, isTelling } from "./telling.ts";
import { spokenMessages } from "./wire-view.ts";

export interface LocatePorts {
  readonly store: Store;
  readonly desk: Desk;
  readonly index: ConversationIndex;
}

export interface LocateOptions {
  /** Whether to look for what was rewound and is continued in spite of it. @default true */
  readonly looksBack?: boolean;
}

interface Candidate {
  readonly conversation: Conversation;
  readonly snapshot: SessionSnapshot;
  readonly alignment: Alignment;
}

/** How many messages, from the newest back, a store is asked for. */
const SEARCHED_MESSAGES = 8;
const MOST_FOUND_RECORDS = 40;
const MOST_CANDIDATES = 6;

/** Finds the session that a request belongs to. Nothing is written. */
export async function locate(heard: Heard, ports: LocatePorts, options: LocateOptions = {}): Promise<Place> {
  const tried = new Set<string>();
  const seen: Candidate[] = [];
  const look = async (ids: Iterable<string>): Promise<void> => {
    for (const id of ids) {
      if (seen.length >= MOST_CANDIDATES || isContinued(best(seen), "word for word")) return;
      if (tried.has(id)) continue;
      tried.add(id);
      const found = await candidate(id, heard, ports);
      if (found !== undefined) seen.push(found);
    }
  };
  await look(knownSessions(heard, ports.index));
  if (!isContinued(best(seen), "in any words")) await look(await searchStore(heard, ports.store));
  for (;;) {
    const place = await placeOf(heard, best(seen), { ...ports, ...options, tried });
    if (place.type !== "taken") return place;
    tried.add(place.id);
    const found = await candidate(place.id, heard, ports);
    if (found !== undefined) seen.push(found);
  }
}

/** A session that must be looked at before another one is made. */
interface Taken {
  readonly type: "taken";
  readonly id: string;
}

/** The newest messages first, as most requests go on with what was said last; by their calls only where their words were not said before. */
function* knownSessions(heard: Heard, index: ConversationIndex): Generator<string> {
  const { fingerprints, scope } = heard;
  for (let place = fingerprints.length - 1; place >= 0; place--) {
    for (const id of index.find(fingerprints[place] ?? "")) if (isInScope(id, scope)) yield id;
  }
  for (const key of newestKeys(heard, SEARCHED_MESSAGES)) {
    for (const id of index.find(key)) if (isInScope(id, scope)) yield id;
  }
}

/** Undefined where the session is gone, or nothing was ever said in it: any request would go on with that. */
async function candidate(id: string, heard: Heard, ports: LocatePorts): Promise<Candidate | undefined> {
  const opened = await openSession(id, ports);
  return opened && { ...opened, alignment: alignWith(opened.snapshot, heard) };
}

/** The same, whatever is asked of it. */
export async function openSession(
  id: string,
  { desk, store }: LocatePorts,
): Promise<Pick<Candidate, "conversation" | "snapshot"> | undefined> {
  // To open one that is gone would make it anew.
  if (!desk.isOpen(id) && (await store.find(id)) === undefined) return undefined;
  const conversation = desk.conversation(id);
  try {
    // In turn: what an earlier request brought may still be on its way into the log.
    const snapshot = await conversation.inTurn(async () => (await conversation.session()).snapshot());
    return snapshot.version === 0 ? undefined : { conversation, snapshot };
  } catch (error) {
    if (!isGone(error)) throw error;
    desk.forget(id);
    return undefined;
  }
}

/** Whether someone deleted the session meanwhile: whoever opens it again finds a new one. */
export function isGone(error: unknown): boolean {
  return error instanceof PalimpsestError && error.code === "not-found";
}

export function alignWith({ log }: SessionSnapshot, heard: Heard): Alignment {
  return align(spokenIn(spokenMessages(log)), heard, { isSameAgent: isAgentNamed(heard.scope) });
}

function newestKeys(heard: Heard, count: number): readonly string[] {
  const places = heard.fingerprints.map((_, place) => place).slice(-count);
  return places.toReversed().flatMap((place) => keysOf(heard, place));
}

/** By keys, for sessions of other gateways and of earlier days; by name, for one that was named before anything was said. */
async function searchStore(heard: Heard, store: Store): Promise<readonly string[]> {
  const { scope } = heard;
  const named = scope === undefined ? undefined : await store.find(scope.id);
  // The first session of a scope has its name: without that one, there are no others.
  if (isAgentNamed(scope) && named === undefined) return [];
  const found = await store.search(newestKeys(heard, SEARCHED_MESSAGES), { limit: MOST_FOUND_RECORDS });
  const ids = found.map(({ sessionId }) => sessionId).filter((id) => isInScope(id, scope));
  return [...new Set([...ids, ...(named === undefined ? [] : [named.id])])];
}

function isContinued(found: Candidate | undefined, how: "word for word" | "in any words"): boolean {
  if (found?.alignment.type !== "continues") return false;
  return how === "in any words" || found.alignment.edited.length === 0;
}

/** Of those that the request continues, the longest; then those that hold it, those it parts from, and last the strangers. */
function best(seen: readonly Candidate[]): Candidate | undefined {
  return seen.toSorted((one, other) => rank(other) - rank(one))[0];
}

const FAR = 1_000_000_000;

function rank({ alignment, snapshot }: Candidate): number {
  switch (alignment.type) {
    case "continues":
      return (alignment.edited.length === 0 ? 4 : 3) * FAR + snapshot.log.length;
    case "begins":
      return 2 * FAR - snapshot.log.length;
    case "parts":
      return FAR / 2 + alignment.shared;
    case "unrelated":
      return alignment.shared;
  }
}

async function placeOf(
  heard: Heard,
  found: Candidate | undefined,
  { store, tried, looksBack = true }: NewSessionPorts & LocateOptions,
): Promise<Place | Taken> {
  if (found === undefined) {
    const { type, id } = await newSessionId(heard, 0, { store, tried });
    return type === "taken" ? { type, id } : { type: "create", id, isNearAgent: false };
  }
  const { alignment, conversation, snapshot } = found;
  switch (alignment.type) {
    case "continues":
      return { type: "continue", conversation, snapshot };
    case "begins":
      return { type: "replay", conversation, snapshot };
    case "parts":
      return placeOfParting(heard, found, { shared: alignment.shared, store, tried, looksBack });
    case "unrelated":
      if (keepsNewest(heard, snapshot)) {
        return placeOfParting(heard, found, { shared: alignment.shared, store, tried, looksBack: false });
      }
      return placeOfStranger(heard, found, { shared: alignment.shared, store, tried });
  }
}

async function placeOfStranger(
  heard: Heard,
  { snapshot }: Candidate,
  { shared, ...ports }: NewSessionPorts & Parting,
): Promise<Place | Taken> {
  const { type, id } = await newSessionId(heard, shared, ports);
  if (type === "taken") return { type, id };
  const isNearAgent = hasCalls(snapshot.log) && (isAgentNamed(heard.scope) || quotes(heard, snapshot));
  return { type: "create", id, isNearAgent };
}

/** Whether the agent dropped or summarised what is old, and goes on with what is new: the same conversation, with less in it. */
function keepsNewest(heard: Heard, { log }: SessionSnapshot): boolean {
  const newest = log.findLast(isTelling)?.keys ?? [];
  return (
    newest.length > 0 && heard.fingerprints.some((_, index) => keysOf(heard, index).some((key) => newest.includes(key)))
  );
}

/** Whether something is said in both that is said in one conversation alone. */
function quotes(heard: Heard, { log }: SessionSnapshot): boolean {
  const telling = new Set(log.filter(isTelling).flatMap(({ keys = [] }) => keys));
  return heard.fingerprints.some((_, index) => keysOf(heard, index).some((key) => telling.has(key)));
}

async function placeOfParting(
  heard: Heard,
  { conversation, snapshot }: Candidate,
  { shared, looksBack, ...ports }: NewSessionPorts & Parting & Required<LocateOptions>,
): Promise<Place | Taken> {
  const { store } = ports;
  const toVersion = looksBack ? await setAsideVersion(heard, conversation, { shared, store }) : undefined;
  const isNeeded = [...conversation.underWay.values()].some((messageCount) => messageCount > shared);
  const parted = spokenMessages(snapshot.log)[shared]?.id;
  if (toVersion === undefined && (!isNeeded || parted === undefined)) {
    return { type: "rewind", conversation, snapshot, shared };
  }
  const { type, id } = await newSessionId(heard, shared, ports);
  if (type === "taken") return { type, id };
  const moment: BranchMoment =
    toVersion === undefined ? { toMessage: parted ?? "", includeMessage: false } : { toVersion };
  return { type: "branch", from: conversation, snapshot, moment, id };
}
