import type { Block, Content, Message } from "../../core/message/message.ts";
import type { Session } from "../../engine/session/session.ts";
import type { OutlinedSession, SessionSnapshot } from "../../engine/session/session-snapshot.ts";
import { compactedUpTo, windowOffset } from "./compacted-window.ts";
import { isDistinctive, isDistinctiveId } from "./fingerprints.ts";
import type { IncomingRequest } from "./incoming-request.ts";
import { factsOf, type KnownSession, type SaidMessages, type Spoken, saidIn } from "./log-facts.ts";
import { saidInOutline } from "./said-in-outline.ts";
import { isAgentNamed } from "./scope.ts";

/** How the conversation in a request relates to a session's log. */
export type Alignment =
  /** The request is the log, or goes on where the log ends. Its messages at the indexes in `edited` have other words than in the log. */
  | { readonly type: "continues"; readonly edited: readonly number[] }
  /** The request is the beginning of the log, maybe with edited messages: an old step sent again, or a question about an earlier part. */
  | { readonly type: "begins" }
  /** The request begins with a provider's compaction that the log does not have yet; it replaces the log's messages before the index `upTo`. */
  | { readonly type: "compacts"; readonly upTo: number }
  /** Both begin with the same `shared` messages, at least one of them the assistant's, and then diverge. */
  | { readonly type: "diverges"; readonly shared: number }
  /** Nothing shows that the request belongs to the log. */
  | { readonly type: "unrelated"; readonly shared: number };

export interface AlignOptions {
  /** Whether the agent itself says that the request and the log are of one session. */
  readonly isSameAgent: boolean;
}

/** The share of the shorter text that must be the same at its ends for two texts to count as one message that was edited. */
const SAME_SHARE = 0.5;

/** Compares the messages of a request with those of a log without its stand-ins, in linear time. */
export function align(log: Spoken, sent: Spoken, { isSameAgent }: AlignOptions): Alignment {
  const shared = sharedCount(log.fingerprints, sent.fingerprints);
  if (shared === log.fingerprints.length) return { type: "continues", edited: [] };
  if (shared === sent.fingerprints.length) return { type: "begins" };
  const edited = editedPlaces(log, sent, shared);
  if (edited !== undefined && isOneConversation(log, sent, { edited, isSameAgent })) {
    return sent.messages.length < log.messages.length ? { type: "begins" } : { type: "continues", edited };
  }
  const common = log.messages.slice(0, shared);
  const isRelated = common.some((message) => (isSameAgent ? message.role === "assistant" : isDistinctive(message)));
  return { type: isRelated ? "diverges" : "unrelated", shared };
}

function sharedCount(one: readonly string[], other: readonly string[]): number {
  const length = Math.min(one.length, other.length);
  for (let index = 0; index < length; index++) if (one[index] !== other[index]) return index;
  return length;
}

/** The indexes of messages that the request has in other words than the log; undefined where some message is another one. */
function editedPlaces(log: Spoken, sent: Spoken, from: number): readonly number[] | undefined {
  const edited: number[] = [];
  const length = Math.min(log.messages.length, sent.messages.length);
  for (let index = from; index < length; index++) {
    if (log.fingerprints[index] === sent.fingerprints[index]) continue;
    const [before, now] = [log.messages[index], sent.messages[index]];
    if (before === undefined || now === undefined || !isSameMessage(before, now)) return undefined;
    edited.push(index);
  }
  return edited;
}

/** Whether a request with edited messages is of the log's conversation. Templates make many openings alike: a distinctive message must be the same. */
function isOneConversation(
  log: Spoken,
  sent: Spoken,
  { edited, isSameAgent }: AlignOptions & { readonly edited: readonly number[] },
): boolean {
  const isEdited = new Set(edited);
  const unchanged = log.messages.slice(0, sent.messages.length).filter((_, index) => !isEdited.has(index));
  if (unchanged.some(isDistinctive)) return true;
  const hasReply = unchanged.some(({ role }) => role === "assistant");
  if (isSameAgent) return hasReply || sent.messages.length > log.messages.length;
  // A reminder at the end of the newest message comes and goes.
  const [index = -1, ...others] = edited;
  const isNewest = others.length === 0 && index === log.messages.length - 1;
  return hasReply && isNewest && isExtended(log.messages[index], sent.messages[index]);
}

/** How many characters two messages must share where nothing else shows that they are one. */
const LEAST_SHARED_LENGTH = 40;

function isExtended(before: Message | undefined, now: Message | undefined): boolean {
  if (before === undefined || now === undefined) return false;
  const [one, other] = [textOf(before.content), textOf(now.content)];
  const isLonger = other.startsWith(one) || one.startsWith(other);
  return isLonger && Math.min(one.length, other.length) >= LEAST_SHARED_LENGTH;
}

/** Whether two messages are one that was edited: the same role and calls, and similar text. */
function isSameMessage(before: Message, now: Message): boolean {
  if (before.role !== now.role || !foldsFit(before, now)) return false;
  const calls = callsIn(before);
  if (calls !== callsIn(now)) return false;
  // A call never changes. Its result may be cleared by the agent: the id of the call shows that it is the same result.
  if (blocksOf(before.content).some((block) => block.type === "tool_use" || answersDistinctiveCall(block))) return true;
  return isSimilar(textOf(before.content), textOf(now.content));
}

function answersDistinctiveCall(block: Block): boolean {
  return block.type === "tool_result" && "tool_use_id" in block && isDistinctiveId(String(block.tool_use_id));
}

/** Whether each block that a fold of a logged message names by its index is the same block in the request's message. */
function foldsFit({ folds = [], content }: Message, now: Message): boolean {
  const [before, after] = [blocksOf(content), blocksOf(now.content)];
  return folds.every(({ blockIndex }) => {
    const [one, other] = [before[blockIndex], after[blockIndex]];
    return one?.type === other?.type && (JSON.stringify(one) === JSON.stringify(other) || callOf(one) !== undefined);
  });
}

/** The calls that a message makes and answers, without repeats: some agents answer a call twice when they resume a session. */
function callsIn({ content }: Message): string {
  return [...new Set(blocksOf(content).flatMap((block) => callOf(block) ?? []))].join("\n");
}

function callOf(block: Block | undefined): string | undefined {
  if (block?.type === "tool_use" && "input" in block) return JSON.stringify([block.id, block.name, block.input]);
  return block?.type === "tool_result" && "tool_use_id" in block ? String(block.tool_use_id) : undefined;
}

function blocksOf(content: Content): readonly Block[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

function textOf(content: Content): string {
  return blocksOf(content).map(textOfBlock).join("\n");
}

function textOfBlock(block: Block): string {
  if ("text" in block) return typeof block.text === "string" ? block.text : "";
  if (block.type !== "tool_result" || !("content" in block)) return "";
  return typeof block.content === "string" ? block.content : (JSON.stringify(block.content) ?? "");
}

function isSimilar(before: string, now: string): boolean {
  const shorter = Math.min(before.length, now.length);
  const { start, end } = sameEnds(before, now);
  return shorter > 0 && start + end >= SAME_SHARE * shorter;
}

/** How many characters two texts have in common at their start, and how many of the remaining ones at their end. */
export function sameEnds(one: string, other: string): { readonly start: number; readonly end: number } {
  const shorter = Math.min(one.length, other.length);
  let start = 0;
  while (start < shorter && one[start] === other[start]) start++;
  let end = 0;
  while (end < shorter - start && one.at(-1 - end) === other.at(-1 - end)) end++;
  return { start, end };
}

/** A snapshot of a session, and how a request relates to its log. */
export interface AlignedLog {
  readonly incoming: IncomingRequest;
  readonly snapshot: KnownSession;
  /** The messages of the log without stand-ins, starting with the one that the request begins with. */
  readonly said: SaidMessages;
  /** How many messages of the log come before `said`: the compaction that the request begins with replaces them. 0 without a compaction. */
  readonly offset: number;
  /** Whether a reply to this session is known to have brought the compaction that the request begins with. */
  readonly isOwner: boolean;
  readonly alignment: Alignment;
}

export interface AlignLogOptions {
  /** An earlier alignment with the session: it is reused if the request and the log are still the same. */
  readonly known?: AlignedLog | undefined;
  /** Whether a reply to the session brought the compaction that the request begins with. @default as in `known` */
  readonly isOwner?: boolean;
}

/** Aligns a request with a session. Hidden messages are read from the store only if the request does more than repeat the log and go on. */
export async function alignSession(
  incoming: IncomingRequest,
  session: Session,
  options: AlignLogOptions = {},
): Promise<AlignedLog> {
  const current = await session.outline();
  const aligned = current.log === undefined ? alignOutlined(incoming, current, options) : undefined;
  return aligned ?? alignLog(incoming, current.log === undefined ? await session.snapshot() : current, options);
}

/** Aligns a request by the hashes of a log's outline; undefined where the request does not begin with the log, word for word. */
function alignOutlined(
  incoming: IncomingRequest,
  snapshot: OutlinedSession,
  { known }: AlignLogOptions,
): AlignedLog | undefined {
  if (known?.incoming === incoming && known.snapshot.outline === snapshot.outline) return { ...known, snapshot };
  // A request that begins with a compaction holds only the end of the log, and outlines are compared from the first message on.
  if (incoming.compactionAt !== undefined) return undefined;
  const said = saidInOutline(snapshot.outline, incoming.fingerprints);
  if (said === undefined) return undefined;
  return { incoming, snapshot, isOwner: false, said, offset: 0, alignment: { type: "continues", edited: [] } };
}

/**
 * Aligns a request with a session's log. Snapshots share one array until the log changes: if `known` is of the same array and the same request,
 * it is reused.
 */
export function alignLog(
  incoming: IncomingRequest,
  snapshot: SessionSnapshot,
  { known, isOwner: isFound = false }: AlignLogOptions = {},
): AlignedLog {
  if (known?.incoming === incoming && known.snapshot.log === snapshot.log) return { ...known, snapshot };
  const isOwner = isFound || (known?.incoming === incoming && known.isOwner);
  const isSameAgent = isAgentNamed(incoming.scope);
  const logged = factsOf(snapshot.log).spoken;
  const { compactionAt } = incoming;
  const base = { incoming, snapshot, isOwner };
  if (compactionAt !== undefined && compactionAt > 0) {
    // The user's messages before the compaction may be the whole conversation so far.
    const alignment = align(logged, incoming, { isSameAgent });
    if (alignment.type === "continues") return { ...base, said: saidIn(logged), offset: 0, alignment };
  }
  const offset = compactionAt === undefined ? 0 : windowOffset(logged, incoming, compactionAt);
  if (compactionAt !== undefined && offset === undefined) {
    const upTo = compactedUpTo(logged, incoming, { place: compactionAt, isOwned: isOwner || isSameAgent });
    if (upTo !== undefined) {
      return { ...base, said: saidIn(NOTHING_SPOKEN), offset: upTo, alignment: { type: "compacts", upTo } };
    }
  }
  const window = from(logged, offset ?? 0);
  return { ...base, said: saidIn(window), offset: offset ?? 0, alignment: align(window, incoming, { isSameAgent }) };
}

/**
 * How many messages of a log come before those of a request that was written to it; undefined where the log does not end with the request any more,
 * as after a later one.
 */
export function windowIn(
  { messages, fingerprints, compactionAt }: IncomingRequest,
  log: readonly Message[],
): number | undefined {
  const logged = factsOf(log).spoken;
  const isWhole = logged.messages.length === messages.length;
  if (compactionAt === undefined) return isWhole ? 0 : undefined;
  if (isWhole && logged.fingerprints[0] === fingerprints[0]) return 0;
  const offset = windowOffset(logged, { messages, fingerprints }, compactionAt);
  return offset !== undefined && offset + messages.length === logged.messages.length ? offset : undefined;
}

const NOTHING_SPOKEN: Spoken = { messages: [], fingerprints: [] };

function from({ messages, fingerprints }: Spoken, start: number): Spoken {
  return start === 0
    ? { messages, fingerprints }
    : { messages: messages.slice(start), fingerprints: fingerprints.slice(start) };
}
