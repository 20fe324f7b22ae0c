import type { Block, Content, Message } from "../../core/message/message.ts";
import { allBlocks } from "../../core/message/tool-pairs.ts";
import { isDistinctive, isDistinctiveId } from "./fingerprints.ts";
import type { FingerprintedMessages } from "./log-facts.ts";

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
export function align(
  log: FingerprintedMessages,
  sent: FingerprintedMessages,
  { isSameAgent }: AlignOptions,
): Alignment {
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
function editedPlaces(
  log: FingerprintedMessages,
  sent: FingerprintedMessages,
  from: number,
): readonly number[] | undefined {
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
  log: FingerprintedMessages,
  sent: FingerprintedMessages,
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
  if (allBlocks(before.content).some((block) => block.type === "tool_use" || answersDistinctiveCall(block)))
    return true;
  return isSimilar(textOf(before.content), textOf(now.content));
}

function answersDistinctiveCall(block: Block): boolean {
  return block.type === "tool_result" && "tool_use_id" in block && isDistinctiveId(String(block.tool_use_id));
}

/** Whether each block that a fold of a logged message names by its index is the same block in the request's message. */
function foldsFit({ folds = [], content }: Message, now: Message): boolean {
  const [before, after] = [allBlocks(content), allBlocks(now.content)];
  return folds.every(({ blockIndex }) => {
    const [one, other] = [before[blockIndex], after[blockIndex]];
    return one?.type === other?.type && (JSON.stringify(one) === JSON.stringify(other) || callOf(one) !== undefined);
  });
}

/** The calls that a message makes and answers, without repeats: some agents answer a call twice when they resume a session. */
function callsIn({ content }: Message): string {
  return [...new Set(allBlocks(content).flatMap((block) => callOf(block) ?? []))].join("\n");
}

function callOf(block: Block | undefined): string | undefined {
  if (block?.type === "tool_use" && "input" in block) return JSON.stringify([block.id, block.name, block.input]);
  return block?.type === "tool_result" && "tool_use_id" in block ? String(block.tool_use_id) : undefined;
}

function textOf(content: Content): string {
  return allBlocks(content).map(textOfBlock).join("\n");
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
