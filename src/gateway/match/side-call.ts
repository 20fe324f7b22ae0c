import { showsCompaction } from "../../core/message/compaction.ts";
import type { Message } from "../../core/message/message.ts";
import { contentBlocks, isToolResult, isToolUse } from "../../core/message/tool-pairs.ts";
import type { MatchPorts } from "./find-candidates.ts";
import type { IncomingRequest } from "./incoming-request.ts";
import { factsOf } from "./log-facts.ts";
import type { SessionMatch } from "./match-session.ts";
import { openSession } from "./open-session.ts";
import { isAgentNamed, isInScope } from "./scope.ts";
import { bringsTools, endsWithResult, hasCalls, isWithTools } from "./tool-use.ts";

/**
 * Whether a request is a side call: an agent's request for a title, a check or a summary, which is no part of the conversation. Side calls bring
 * no tools. A conversation without tools is told apart from them by the tool results that its request ends with, or by its session, to which no
 * request ever brought a tool. A check may quote the middle of a conversation.
 */
export async function isSideCall(incoming: IncomingRequest, match: SessionMatch, ports: MatchPorts): Promise<boolean> {
  if (incoming.isCompaction) return true;
  if (bringsTools(incoming) || endsWithResult(incoming)) return false;
  return (await isSideCallOf(incoming, match)) || (match.type === "create" && quotesAgent(incoming, match.id, ports));
}

/** Whether a request without tools is a side call, by its match: the matched session's requests bring tools, or a new conversation has no reply yet. */
async function isSideCallOf(incoming: IncomingRequest, match: SessionMatch): Promise<boolean> {
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

/** Limits of the store search for a quoted conversation: wider than for a continued one, as a request may quote the middle of a conversation. */
const QUOTED_SEARCH = { messages: 24, records: 60 };
/** The most sessions that are read to see whether two messages follow each other in their logs. */
const MOST_READ_SESSIONS = 3;
/** In characters, of two messages together. Shorter pairs of messages occur in many conversations. */
const LEAST_PAIR_LENGTH = 80;

/**
 * Whether a request without tools quotes a known conversation that uses tools: a call or a result of it, or two messages that follow each other.
 * Then the request asks about that conversation, and begins none. A wrong guess costs only a session that might have been recorded, as the quoted
 * conversation is neither shown nor changed. `ownId`, the id of the session that would be made for the request, does not count as quoted: if that
 * session exists, the same request came twice at once.
 */
async function quotesAgent(incoming: IncomingRequest, ownId: string, ports: MatchPorts): Promise<boolean> {
  const mayQuote = (id: string) => id !== ownId && (!isAgentNamed(incoming.scope) || isInScope(id, incoming.scope));
  return (await quotesToolUse(incoming, mayQuote, ports)) || (await quotesTalk(incoming, mayQuote, ports));
}

/** Whether a request may quote this session: a request that names its session can only quote sessions of that name. */
type MayQuote = (sessionId: string) => boolean;

/** Whether a request has a message with a call or a result that a known session has, too. Such a session uses tools: its log need not be read. */
async function quotesToolUse(
  { messages, fingerprints }: IncomingRequest,
  mayQuote: MayQuote,
  ports: MatchPorts,
): Promise<boolean> {
  const keys = fingerprints.filter((_, index) => usesTools(messages[index]));
  if (keys.length === 0) return false;
  if (keys.some((key) => ports.index.find(key).some(mayQuote))) return true;
  const found = await ports.store.search(keys.slice(-QUOTED_SEARCH.messages), { limit: QUOTED_SEARCH.records });
  return found.some(({ sessionId }) => mayQuote(sessionId));
}

function usesTools(message: Message | undefined): boolean {
  return contentBlocks(message?.content ?? "").some((block) => isToolUse(block) || isToolResult(block));
}

/** Whether two messages that follow each other in a request do so in the log of a known session that uses tools. */
async function quotesTalk(incoming: IncomingRequest, mayQuote: MayQuote, ports: MatchPorts): Promise<boolean> {
  const pairs = incoming.fingerprints.flatMap((_, index) => (isPair(incoming, index) ? [index] : []));
  if (pairs.length === 0) return false;
  for (const id of (await sessionsWith(incoming, pairs, ports)).filter(mayQuote).slice(0, MOST_READ_SESSIONS)) {
    const log = (await openSession(id, ports, (session) => session.snapshot()))?.seen.log ?? [];
    if (hasCalls(log) && showsMiddle(incoming, pairs, factsOf(log).said.messages)) return true;
  }
  return false;
}

/** Whether a message and the next one are long enough together to identify a conversation. */
function isPair({ messages }: IncomingRequest, index: number): boolean {
  const [one, other] = messages.slice(index, index + 2);
  return one !== undefined && other !== undefined && textLength(one) + textLength(other) >= LEAST_PAIR_LENGTH;
}

function textLength({ content }: Message): number {
  if (typeof content === "string") return content.length;
  return content.reduce((sum, block) => sum + ("text" in block ? String(block.text).length : 0), 0);
}

/** The sessions that may have one of the pairs: by the index, both of its messages; by the store, any two messages that were searched for. */
async function sessionsWith(
  { fingerprints }: IncomingRequest,
  pairs: readonly number[],
  { index: sessions, store }: MatchPorts,
): Promise<readonly string[]> {
  const indexed = pairs.flatMap((index) => {
    const next = new Set(sessions.find(fingerprints[index + 1] ?? ""));
    return sessions.find(fingerprints[index] ?? "").filter((id) => next.has(id));
  });
  const found = await store.search(fingerprints.slice(-QUOTED_SEARCH.messages), { limit: QUOTED_SEARCH.records });
  const matchCounts = new Map<string, number>();
  for (const { sessionId, matches } of found) matchCounts.set(sessionId, (matchCounts.get(sessionId) ?? 0) + matches);
  const stored = [...matchCounts].flatMap(([id, matches]) => (matches > 1 ? [id] : []));
  return [...new Set([...indexed, ...stored])];
}

/** Whether a log has one of the pairs after its first reply and at another index than the request: many conversations begin alike. */
function showsMiddle({ fingerprints }: IncomingRequest, pairs: readonly number[], said: readonly Message[]): boolean {
  const keys = said.map((message) => message.keys?.[0]);
  const firstReply = said.findIndex(({ role }) => role === "assistant");
  return pairs.some((index) =>
    keys.some((key, at) => {
      const isThere = key === fingerprints[index] && keys[at + 1] === fingerprints[index + 1];
      return isThere && at !== index && at > firstReply;
    }),
  );
}
