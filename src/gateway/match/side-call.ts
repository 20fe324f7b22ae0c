import { showsCompaction } from "../../core/message/compaction.ts";
import type { Message } from "../../core/message/message.ts";
import { contentBlocks, isToolResult, isToolUse } from "../../core/message/tool-pairs.ts";
import type { IncomingRequest } from "./incoming-request.ts";
import { factsOf } from "./log-facts.ts";
import type { MatchPorts, SessionMatch } from "./match-session.ts";
import { openSession } from "./open-session.ts";
import { isAgentNamed, isInScope } from "./scope.ts";
import { bringsTools, endsWithResult, hasCalls, isWithTools } from "./tool-use.ts";

/**
 * Whether a request is a side call: a title, a check or a summary that an agent asks for. Side calls bring no tools, and are no part of the
 * conversation. A check may quote the middle of one. An agent may also leave out its tools altogether: then its conversation is known by the
 * results that it ends with, and by its session, to which no request ever brought one.
 */
export async function isSideCall(incoming: IncomingRequest, match: SessionMatch, ports: MatchPorts): Promise<boolean> {
  if (incoming.isCompaction) return true;
  if (bringsTools(incoming) || endsWithResult(incoming)) return false;
  return isSideCallOf(incoming, match) || (match.type === "create" && quotesAgent(incoming, match.id, ports));
}

function isSideCallOf(incoming: IncomingRequest, match: SessionMatch): boolean {
  const [first] = incoming.messages;
  if (first?.role === "assistant" && !showsCompaction(first)) return true;
  switch (match.type) {
    case "continue":
    case "replay":
    case "rewind":
      return isWithTools(match.conversation, match.aligned.snapshot);
    case "branch":
      return isWithTools(match.from, match.aligned.snapshot);
    case "create":
      return match.isNearAgent || (!incoming.isNamed && !incoming.messages.some(({ role }) => role === "assistant"));
  }
}

/** How many messages, from the newest back, a store is asked for. */
const SEARCHED_MESSAGES = 24;
const MOST_FOUND_RECORDS = 60;
/** How many sessions are read to see whether two messages stand in a row in them. */
const MOST_READ_SESSIONS = 3;
/** In characters. Many conversations have two messages in a row that are shorter together. */
const LEAST_PAIR_LENGTH = 80;

/**
 * Whether a request that brings no tools shows a piece of a known conversation that uses some: a call or a result of it, or two messages
 * in a row. It asks about that one then, and begins none. Nothing of that conversation is shown or changed for it, so that a wrong guess
 * costs a session that might have been kept, and no more. The session that would be made for the request is none that it quotes: where it is
 * there, the same request came twice at once, and the other one was recorded first.
 */
async function quotesAgent(incoming: IncomingRequest, ownId: string, ports: MatchPorts): Promise<boolean> {
  const mayQuote = (id: string) => id !== ownId && (!isAgentNamed(incoming.scope) || isInScope(id, incoming.scope));
  return (await quotesToolUse(incoming, mayQuote, ports)) || (await quotesTalk(incoming, mayQuote, ports));
}

/** Whether a request may be about this session: checks need not say whose they are; where one does, it is about a session of that name. */
type MayQuote = (sessionId: string) => boolean;

/** A session that has such a message uses tools: it need not be read. */
async function quotesToolUse(
  { messages, fingerprints }: IncomingRequest,
  mayQuote: MayQuote,
  ports: MatchPorts,
): Promise<boolean> {
  const keys = fingerprints.filter((_, index) => usesTools(messages[index]));
  if (keys.length === 0) return false;
  if (keys.some((key) => ports.index.find(key).some(mayQuote))) return true;
  const found = await ports.store.search(keys.slice(-SEARCHED_MESSAGES), { limit: MOST_FOUND_RECORDS });
  return found.some(({ sessionId }) => mayQuote(sessionId));
}

function usesTools(message: Message | undefined): boolean {
  return contentBlocks(message?.content ?? "").some((block) => isToolUse(block) || isToolResult(block));
}

async function quotesTalk(incoming: IncomingRequest, mayQuote: MayQuote, ports: MatchPorts): Promise<boolean> {
  const pairs = incoming.fingerprints.flatMap((_, index) => (isPair(incoming, index) ? [index] : []));
  if (pairs.length === 0) return false;
  for (const id of (await sessionsWith(incoming, pairs, ports)).filter(mayQuote).slice(0, MOST_READ_SESSIONS)) {
    const log = (await openSession(id, ports))?.snapshot.log ?? [];
    if (hasCalls(log) && showsMiddle(incoming, pairs, factsOf(log).spoken.messages)) return true;
  }
  return false;
}

/** Whether this message and the next one say enough to be known again. */
function isPair({ messages }: IncomingRequest, index: number): boolean {
  const [one, other] = messages.slice(index, index + 2);
  return one !== undefined && other !== undefined && textLength(one) + textLength(other) >= LEAST_PAIR_LENGTH;
}

function textLength({ content }: Message): number {
  if (typeof content === "string") return content.length;
  return content.reduce((sum, block) => sum + ("text" in block ? String(block.text).length : 0), 0);
}

/** The sessions that may have one of the pairs: both of its messages, or at least two of those that were searched for. */
async function sessionsWith(
  { fingerprints }: IncomingRequest,
  pairs: readonly number[],
  { index: sessions, store }: MatchPorts,
): Promise<readonly string[]> {
  const known = pairs.flatMap((index) => {
    const next = new Set(sessions.find(fingerprints[index + 1] ?? ""));
    return sessions.find(fingerprints[index] ?? "").filter((id) => next.has(id));
  });
  const found = await store.search(fingerprints.slice(-SEARCHED_MESSAGES), { limit: MOST_FOUND_RECORDS });
  const matchCounts = new Map<string, number>();
  for (const { sessionId, matches } of found) matchCounts.set(sessionId, (matchCounts.get(sessionId) ?? 0) + matches);
  const stored = [...matchCounts].flatMap(([id, matches]) => (matches > 1 ? [id] : []));
  return [...new Set([...known, ...stored])];
}

/** Whether a pair stands behind the first reply of the log, at another index: many conversations have the same beginning. */
function showsMiddle({ fingerprints }: IncomingRequest, pairs: readonly number[], spoken: readonly Message[]): boolean {
  const keys = spoken.map((message) => message.keys?.[0]);
  const firstReply = spoken.findIndex(({ role }) => role === "assistant");
  return pairs.some((index) =>
    keys.some((key, at) => {
      const isThere = key === fingerprints[index] && keys[at + 1] === fingerprints[index + 1];
      return isThere && at !== index && at > firstReply;
    }),
  );
}
