import type { Message } from "../../core/message/message.ts";
import { contentBlocks, isToolResult, isToolUse } from "../../core/message/tool-pairs.ts";
import type { Heard } from "./heard.ts";
import { type LocatePorts, openSession } from "./locate.ts";
import { isAgentNamed, isInScope } from "./scope.ts";
import { hasCalls } from "./telling.ts";
import { spokenMessages } from "./wire-view.ts";

/** How many messages, from the newest back, a store is asked for. */
const SEARCHED_MESSAGES = 24;
const MOST_FOUND_RECORDS = 60;
/** How many sessions are read to see whether two messages stand in a row in them. */
const MOST_READ_SESSIONS = 3;
/** Less than this is said in many conversations, also twice in a row. In characters. */
const LEAST_PAIR_LENGTH = 80;

/**
 * Whether a request that brings no tools shows a piece of a known conversation that uses some: a call or a result of it, or two messages
 * in a row. It asks about that one then, and begins none. Nothing of that conversation is shown or changed for it, so that a wrong guess
 * costs a session that might have been kept, and no more.
 */
export async function quotesAgent(heard: Heard, ports: LocatePorts): Promise<boolean> {
  return (await quotesToolUse(heard, ports)) || (await quotesTalk(heard, ports));
}

/** A session that has such a message uses tools: it need not be read. */
async function quotesToolUse({ messages, fingerprints, scope }: Heard, ports: LocatePorts): Promise<boolean> {
  const keys = fingerprints.filter((_, place) => usesTools(messages[place]));
  if (keys.length === 0) return false;
  if (keys.some((key) => ports.index.find(key).some((id) => mayQuote(id, scope)))) return true;
  const found = await ports.store.search(keys.slice(-SEARCHED_MESSAGES), { limit: MOST_FOUND_RECORDS });
  return found.some(({ sessionId }) => mayQuote(sessionId, scope));
}

function usesTools(message: Message | undefined): boolean {
  return contentBlocks(message?.content ?? "").some((block) => isToolUse(block) || isToolResult(block));
}

/** Checks need not say whose they are; where one does, it is about a session of that name. */
function mayQuote(sessionId: string, scope: Heard["scope"]): boolean {
  return !isAgentNamed(scope) || isInScope(sessionId, scope);
}

async function quotesTalk(heard: Heard, ports: LocatePorts): Promise<boolean> {
  const pairs = heard.fingerprints.flatMap((_, place) => (isPair(heard, place) ? [place] : []));
  if (pairs.length === 0) return false;
  for (const id of await sessionsWith(heard, pairs, ports)) {
    const log = (await openSession(id, ports))?.snapshot.log ?? [];
    if (hasCalls(log) && showsMiddle(heard, pairs, spokenMessages(log))) return true;
  }
  return false;
}

/** Whether this message and the next one say enough to be known again. */
function isPair({ messages }: Heard, place: number): boolean {
  const [one, other] = messages.slice(place, place + 2);
  return one !== undefined && other !== undefined && textLength(one) + textLength(other) >= LEAST_PAIR_LENGTH;
}

function textLength({ content }: Message): number {
  if (typeof content === "string") return content.length;
  return content.reduce((sum, block) => sum + ("text" in block ? String(block.text).length : 0), 0);
}

/** The sessions that may have one of the pairs: both of its messages, or at least two of those that were searched for. */
async function sessionsWith(
  { fingerprints, scope }: Heard,
  pairs: readonly number[],
  { index, store }: LocatePorts,
): Promise<readonly string[]> {
  const known = pairs.flatMap((place) => {
    const next = new Set(index.find(fingerprints[place + 1] ?? ""));
    return index.find(fingerprints[place] ?? "").filter((id) => next.has(id));
  });
  const found = await store.search(fingerprints.slice(-SEARCHED_MESSAGES), { limit: MOST_FOUND_RECORDS });
  const matchCounts = new Map<string, number>();
  for (const { sessionId, matches } of found) matchCounts.set(sessionId, (matchCounts.get(sessionId) ?? 0) + matches);
  const stored = [...matchCounts].flatMap(([id, matches]) => (matches > 1 ? [id] : []));
  return [...new Set([...known, ...stored])].filter((id) => mayQuote(id, scope)).slice(0, MOST_READ_SESSIONS);
}

/** Not the beginning, which many conversations have in common: something was replied before, and it stands elsewhere than there. */
function showsMiddle({ fingerprints }: Heard, pairs: readonly number[], spoken: readonly Message[]): boolean {
  const keys = spoken.map((message) => message.keys?.[0]);
  const firstReply = spoken.findIndex(({ role }) => role === "assistant");
  return pairs.some((place) =>
    keys.some((key, at) => {
      const isThere = key === fingerprints[place] && keys[at + 1] === fingerprints[place + 1];
      return isThere && at !== place && at > firstReply;
    }),
  );
}
