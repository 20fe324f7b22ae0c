import { isStandIn } from "../../core/message/effective-view.ts";
import type { Message } from "../../core/message/message.ts";
import type { Store, StoredSession } from "../../core/ports/store.ts";
import { searchTerms } from "../../core/recall/message-terms.ts";
import type { RecallHit } from "../../core/recall/recall-hit.ts";
import { createRecallIndex } from "../../core/recall/recall-index.ts";
import { readRecord } from "../../engine/session/journal/log-record.ts";
import { isGone } from "../match/open-session.ts";
import { BRANCH_MARK, isCacheKey } from "../match/scope.ts";

/** An excerpt of a message that the searched session's log does not have, with the session that has it. */
export interface RewoundHit extends Omit<RecallHit, "messageId" | "shortId" | "messageIndex" | "foldId"> {
  readonly sessionId: string;
  readonly messageId: string | undefined;
}

export interface RewoundSearch {
  readonly store: Store;
  readonly stored: StoredSession;
  /** The session's present log. Its messages are left out of the results. */
  readonly log: readonly Message[];
  readonly budgetTokens: number;
}

/** Each excerpt is shown with its own heading: more excerpts would fill the budget mostly with headings. */
const MAX_HITS = 10;
/** How many messages of a session are read: those that contain the most words of the query. */
const MAX_MESSAGES = 300;
/** How many related sessions are searched, because each takes a query of the store. */
const MAX_RELATIVES = 20;
const MAX_LISTED = 1_000;
/** The end of a session's id that a gateway made of records which it could not write to their session after an outage of the store. */
const SET_APART = /^unsaved-\d+$/;
/** The end of every id that a gateway makes of another session's. */
const MADE_BY_GATEWAY = /^([\da-f]{8}|unsaved-\d+)$/;

/**
 * Searches the rewound branches of a session, and its related sessions, for messages that are not in its log.
 * Messages of the log are left out before the best excerpts are chosen, so that they use none of the budget.
 */
export async function recallRewound(query: string, search: RewoundSearch): Promise<readonly RewoundHit[]> {
  const { store, stored, log, budgetTokens } = search;
  const terms = searchTerms(query);
  if (terms.length === 0 || budgetTokens <= 0) return [];
  const isInLog = membership(log);
  const messages: Message[] = [];
  const sessionIds: string[] = [];
  // The session itself comes last, because the index keeps the last of equal excerpts.
  for (const searched of [...(await relativesOf(store, stored)), stored]) {
    const isRelative = searched.id !== stored.id;
    const found = await findMessages(store, searched, terms).catch((error: unknown) => {
      // A session that is damaged or was deleted meanwhile must not hide the others.
      if (isRelative || isGone(error)) return [];
      throw error;
    });
    for (const message of found) {
      if (isStandIn(message) || isInLog(message)) continue;
      messages.push(message);
      sessionIds.push(searched.id);
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
 * Returns the branches of a session, whose ids are `ID~…`; for a branch, also the session that it diverged from and that session's other branches.
 * The newest comes last. People may choose such ids too, so a session that no gateway named is related only if it begins with the same record,
 * as copies do. If the session is named by a cache key, only sessions that a gateway set apart are related: many users of one program may share
 * the key.
 */
async function relativesOf(store: Store, stored: StoredSession): Promise<readonly StoredSession[]> {
  const { id } = stored;
  const mark = id.lastIndexOf(BRANCH_MARK);
  const root = mark > 0 ? id.slice(0, mark) : id;
  const gatewayEnding = isCacheKey(id) ? SET_APART : MADE_BY_GATEWAY;
  const isMade = (name: string) => name === root || gatewayEnding.test(name.slice(root.length + BRANCH_MARK.length));
  const listed = await store.list({ limit: MAX_LISTED });
  const candidates = listed.filter(
    (session) => session.id !== id && (session.id === root || session.id.startsWith(`${root}${BRANCH_MARK}`)),
  );
  const relatives: StoredSession[] = [];
  for (const candidate of candidates) {
    if (relatives.length === MAX_RELATIVES) break;
    const isRelative = isMade(id) && isMade(candidate.id);
    if (isRelative || (!isCacheKey(id) && (await beginAlike(store, stored, candidate)))) relatives.push(candidate);
  }
  return relatives.toReversed();
}

/** Whether the first records of these sessions are the same. */
async function beginAlike(store: Store, ...sessions: readonly StoredSession[]): Promise<boolean> {
  try {
    const first = await Promise.all(sessions.map(({ key }) => store.read(key, { limit: 1 })));
    const [body, ...others] = first.map(([record]) => record?.body);
    return body !== undefined && others.every((other) => other === body);
  } catch {
    // A session that is damaged or was deleted meanwhile is left out.
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

/** Returns whether a log has a message, by its key, or by its content if it has no key. Ids cannot be compared: all sessions use the same ones. */
function membership(log: readonly Message[]): (message: Message) => boolean {
  const nameOf = ({ keys, content }: Message) => keys?.[0] ?? JSON.stringify(content);
  const names = new Set(log.map(nameOf));
  return (message) => names.has(nameOf(message));
}
