import { isStandIn } from "../../core/message/effective-view.ts";
import type { Message } from "../../core/message/message.ts";
import type { Store, StoredSession } from "../../core/ports/store.ts";
import { searchTerms } from "../../core/recall/message-terms.ts";
import type { RecallHit } from "../../core/recall/recall-hit.ts";
import { createRecallIndex } from "../../core/recall/recall-index.ts";
import { readRecord } from "../../engine/session/journal/log-record.ts";
import { isGone } from "../match/open-session.ts";
import { BRANCH_MARK, isCacheKey } from "../match/scope.ts";

/** An excerpt of a message that a session's log does not hold, and the session where it was said. */
export interface RewoundHit extends Omit<RecallHit, "messageId" | "shortId" | "messageIndex" | "foldId"> {
  readonly sessionId: string;
  readonly messageId: string | undefined;
}

export interface RewoundSearch {
  readonly store: Store;
  readonly stored: StoredSession;
  /** The session's log as it is now: what it holds was not rewound. */
  readonly log: readonly Message[];
  readonly budgetTokens: number;
}

/** Each is shown with a heading of its own, so more of them would be mostly headings. */
const MAX_HITS = 10;
/** How many messages, those with most of the query's words, are looked at in a session. */
const MAX_MESSAGES = 300;
/** How many related sessions are searched: the store is asked once for each. */
const MAX_RELATIVES = 20;
const MAX_LISTED = 1_000;
/** How the names of sessions end that a gateway set apart while the store did not answer, and of those that it made for any reason. */
const SET_APART = /^unsaved-\d+$/;
const MADE_BY_GATEWAY = /^([\da-f]{8}|unsaved-\d+)$/;

/**
 * Searches the rewound branches of a session, and its related sessions, for messages that are not in its log.
 * What the log holds is left out before the best are chosen, so that what can be seen anyway takes no place.
 */
export async function recallRewound(query: string, search: RewoundSearch): Promise<readonly RewoundHit[]> {
  const { store, stored, log, budgetTokens } = search;
  const terms = searchTerms(query);
  if (terms.length === 0 || budgetTokens <= 0) return [];
  const isInLog = membership(log);
  const messages: Message[] = [];
  const sessionIds: string[] = [];
  // Of equal excerpts the last one counts: the session's own.
  for (const each of [...(await relativesOf(store, stored)), stored]) {
    const isRelative = each.id !== stored.id;
    const found = await findMessages(store, each, terms).catch((error: unknown) => {
      // One that is damaged or was deleted meanwhile must not hide the others.
      if (isRelative || isGone(error)) return [];
      throw error;
    });
    for (const message of found) {
      if (isStandIn(message) || isInLog(message)) continue;
      messages.push(message);
      sessionIds.push(each.id);
    }
  }
  const hits = createRecallIndex(messages, { scope: "all", isContinuous: false }).recall(query, {
    budgetTokens,
    maxHits: MAX_HITS,
  });
  return hits.map(({ messageIndex, shortId: _, foldId: __, ...hit }) => {
    return { ...hit, messageId: messages[messageIndex]?.id, sessionId: sessionIds[messageIndex] ?? stored.id };
  });
}

/**
 * The branches of a session, which are called `ID~…`; of a branch also the session that it diverged from, and the other branches of that. The newest
 * last. People choose such names too: one that no gateway made counts only where it begins with the same record, as a copy does. Of sessions that
 * share a key for caches, only what a gateway set apart: the key may be that of a program that many people use.
 */
async function relativesOf(store: Store, stored: StoredSession): Promise<readonly StoredSession[]> {
  const { id } = stored;
  const mark = id.lastIndexOf(BRANCH_MARK);
  const root = mark > 0 ? id.slice(0, mark) : id;
  const made = isCacheKey(id) ? SET_APART : MADE_BY_GATEWAY;
  const isMade = (name: string) => name === root || made.test(name.slice(root.length + BRANCH_MARK.length));
  const listed = await store.list({ limit: MAX_LISTED });
  const named = listed.filter(
    (each) => each.id !== id && (each.id === root || each.id.startsWith(`${root}${BRANCH_MARK}`)),
  );
  const relatives: StoredSession[] = [];
  for (const each of named) {
    if (relatives.length === MAX_RELATIVES) break;
    const isRelative = isMade(id) && isMade(each.id);
    if (isRelative || (!isCacheKey(id) && (await beginAlike(store, stored, each)))) relatives.push(each);
  }
  return relatives.toReversed();
}

async function beginAlike(store: Store, ...sessions: readonly StoredSession[]): Promise<boolean> {
  try {
    const first = await Promise.all(sessions.map(({ key }) => store.read(key, { limit: 1 })));
    const [body, ...others] = first.map(([record]) => record?.body);
    return body !== undefined && others.every((other) => other === body);
  } catch {
    // One that is damaged or was deleted meanwhile is left out.
    return false;
  }
}

async function findMessages(
  store: Store,
  { key, id }: StoredSession,
  terms: readonly string[],
): Promise<readonly Message[]> {
  const messages: Message[] = [];
  for (const { version } of await store.search(terms, { sessionKey: key, limit: MAX_MESSAGES })) {
    const [row] = await store.read(key, { afterVersion: version - 1, limit: 1 });
    const record = row === undefined ? undefined : readRecord(row.body, { sessionId: id, version });
    if (record?.type === "message") messages.push(record.message);
  }
  return messages;
}

/** Whether a log has a message: by its key, or by its content where it has none. Ids are no help: every session uses the same ones. */
function membership(log: readonly Message[]): (message: Message) => boolean {
  const nameOf = ({ keys, content }: Message) => keys?.[0] ?? JSON.stringify(content);
  const names = new Set(log.map(nameOf));
  return (message) => names.has(nameOf(message));
}
