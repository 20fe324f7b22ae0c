import type { Block, Content, Message } from "../../core/message/message.ts";
import type { SessionSnapshot } from "../../engine/session/session.ts";
import { compactedUpTo, windowOffset } from "./compacted-window.ts";
import { isDistinctive, isDistinctiveId } from "./fingerprints.ts";
import type { IncomingRequest } from "./incoming-request.ts";
import { factsOf, type Spoken } from "./log-facts.ts";
import { isAgentNamed } from "./scope.ts";

/** How a conversation that was sent relates to a log. */
export type Alignment =
  /** The request is the log, or goes on where the log ends. The messages at the places in `edited` say something else now. */
  | { readonly type: "continues"; readonly edited: readonly number[] }
  /** The request is the beginning of the log, maybe in other words: an old step sent again, or a question about what came before. */
  | { readonly type: "begins" }
  /** The request begins with a provider's compaction, which is new to the log, of its messages up to this place. */
  | { readonly type: "compacts"; readonly upTo: number }
  /** They share so many messages, among them something that the assistant said, and then diverge. */
  | { readonly type: "diverges"; readonly shared: number }
  /** Nothing shows that the request belongs to the log. */
  | { readonly type: "unrelated"; readonly shared: number };

export interface AlignOptions {
  /** Whether the agent itself says that both are of one session. */
  readonly isSameAgent: boolean;
}

/** How much of a text must be the same, so that it counts as the same message with something added, dropped or replaced. */
const SAME_SHARE = 0.5;

/** Compares the messages of a request with those of a log, stand-ins left out, in linear time. */
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

/** The places where the request has the same message in other words; undefined where it has another message. */
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

/** Templates make the openings of many conversations alike: something that only one conversation has must be the same. */
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

/** So many characters must be the same, where nothing else shows that two messages are one. */
const LEAST_SHARED_LENGTH = 40;

function isExtended(before: Message | undefined, now: Message | undefined): boolean {
  if (before === undefined || now === undefined) return false;
  const [one, other] = [textOf(before.content), textOf(now.content)];
  const isLonger = other.startsWith(one) || one.startsWith(other);
  return isLonger && Math.min(one.length, other.length) >= LEAST_SHARED_LENGTH;
}

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

/** Whether the blocks that the folds of a message name by their index are the same in the request. */
function foldsFit({ folds = [], content }: Message, now: Message): boolean {
  const [before, after] = [blocksOf(content), blocksOf(now.content)];
  return folds.every(({ blockIndex }) => {
    const [one, other] = [before[blockIndex], after[blockIndex]];
    return one?.type === other?.type && (JSON.stringify(one) === JSON.stringify(other) || callOf(one) !== undefined);
  });
}

/** The calls that a message makes and answers, each once: some agents answer a call twice when they resume a session. */
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

/** How many characters two texts have in common at their beginning, and then at their end. */
export function sameEnds(one: string, other: string): { readonly start: number; readonly end: number } {
  const shorter = Math.min(one.length, other.length);
  let start = 0;
  while (start < shorter && one[start] === other[start]) start++;
  let end = 0;
  while (end < shorter - start && one.at(-1 - end) === other.at(-1 - end)) end++;
  return { start, end };
}

/** A session at one moment, and how a request relates to its log. */
export interface AlignedLog {
  readonly incoming: IncomingRequest;
  readonly snapshot: SessionSnapshot;
  /** The messages of the log without stand-ins, from the one on that the request begins with. */
  readonly spoken: Spoken;
  /** How many messages that were said come before these: a provider's compaction, with which the request begins, stands for them. */
  readonly offset: number;
  /** Whether the compaction that the request begins with is known to be one of this session. */
  readonly isOwner: boolean;
  readonly alignment: Alignment;
}

export interface AlignLogOptions {
  /** How an earlier look aligned a request with the session. */
  readonly known?: AlignedLog | undefined;
  /** Whether a reply to the session brought the compaction that the request begins with. @default as it was known */
  readonly isOwner?: boolean;
}

/**
 * Aligns a request with a session's log. A snapshot has the same array as the one before it until the log changes: what is `known` for that
 * array, and for the same request, is taken over.
 */
export function alignLog(
  incoming: IncomingRequest,
  snapshot: SessionSnapshot,
  { known, isOwner: isFound = false }: AlignLogOptions = {},
): AlignedLog {
  if (known?.incoming === incoming && known.snapshot.log === snapshot.log) return { ...known, snapshot };
  const isOwner = isFound || (known?.incoming === incoming && known.isOwner);
  const isSameAgent = isAgentNamed(incoming.scope);
  const all = factsOf(snapshot.log).spoken;
  const place = incoming.compactionAt;
  const base = { incoming, snapshot, isOwner };
  if (place !== undefined && place > 0) {
    // What comes before the compaction may be the whole conversation: nothing was said before but by the user.
    const alignment = align(all, incoming, { isSameAgent });
    if (alignment.type === "continues") return { ...base, spoken: all, offset: 0, alignment };
  }
  const offset = place === undefined ? 0 : windowOffset(all, incoming, place);
  if (place !== undefined && offset === undefined) {
    const upTo = compactedUpTo(all, incoming, { place, isOwned: isOwner || isSameAgent });
    if (upTo !== undefined) {
      return { ...base, spoken: NOTHING_SPOKEN, offset: upTo, alignment: { type: "compacts", upTo } };
    }
  }
  const spoken = from(all, offset ?? 0);
  return { ...base, spoken, offset: offset ?? 0, alignment: align(spoken, incoming, { isSameAgent }) };
}

/** Whether a log ends with what the request says, message for message, and how many of its messages come before that. */
export function windowIn(incoming: IncomingRequest, log: readonly Message[]): number | undefined {
  const all = factsOf(log).spoken;
  if (incoming.compactionAt === undefined) return all.messages.length === incoming.messages.length ? 0 : undefined;
  if (all.fingerprints[0] === incoming.fingerprints[0] && all.messages.length === incoming.messages.length) return 0;
  const offset = windowOffset(all, incoming, incoming.compactionAt);
  return offset !== undefined && offset + incoming.messages.length === all.messages.length ? offset : undefined;
}

const NOTHING_SPOKEN: Spoken = { messages: [], fingerprints: [] };

function from({ messages, fingerprints }: Spoken, start: number): Spoken {
  return start === 0
    ? { messages, fingerprints }
    : { messages: messages.slice(start), fingerprints: fingerprints.slice(start) };
}
