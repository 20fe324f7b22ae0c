import { assertArray } from "../assert.ts";
import { checkMessages } from "./check-messages.ts";
import {
  type Block,
  type Content,
  isKnownBlock,
  type Message,
  type ToolResultBlock,
  type ToolUseBlock,
} from "./message.ts";

/** A tool call and, once it has been answered, its result. */
export interface ToolPair {
  readonly toolUseId: string;
  readonly call: PairHalf<ToolUseBlock>;
  /** Absent while the tool is running, or when it was interrupted. */
  readonly result?: PairHalf<ToolResultBlock>;
}

export interface PairHalf<HalfBlock extends Block> {
  readonly message: Message;
  /** Index in the list of messages that was searched. */
  readonly messageIndex: number;
  readonly block: HalfBlock;
}

/**
 * Lists all tool calls in order, each with the first result after it that names its id.
 * @example
 * ```ts
 * import { detectPairs, type Message } from "palimpsest/core";
 * const log: Message[] = [
 *   { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "read", input: {} }] },
 *   { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "text" }] },
 * ];
 * console.log(detectPairs(log).map(({ toolUseId, result }) => [toolUseId, result?.messageIndex])); // [ [ 't1', 1 ] ]
 * ```
 */
export function detectPairs(messages: readonly Message[]): readonly ToolPair[] {
  checkMessages(messages);
  const pairs: ToolPair[] = [];
  // Some providers use an id again in a later turn: a result answers the latest call that is still open.
  const openCalls = new Map<string, number>();
  for (const [messageIndex, message] of messages.entries()) {
    for (const block of contentBlocks(message.content)) {
      if (isToolUse(block)) {
        openCalls.set(block.id, pairs.length);
        pairs.push({ toolUseId: block.id, call: { message, messageIndex, block } });
      } else if (isToolResult(block)) {
        const position = openCalls.get(block.tool_use_id);
        const pair = position === undefined ? undefined : pairs[position];
        if (position === undefined || pair === undefined) continue;
        pairs[position] = { ...pair, result: { message, messageIndex, block } };
        openCalls.delete(block.tool_use_id);
      }
    }
  }
  return pairs;
}

/**
 * True when a tool call in this message has no result among `pairs`.
 * @example
 * ```ts
 * import { detectPairs, hasOpenToolUse, type Message } from "palimpsest/core";
 * const call: Message = { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "read", input: {} }] };
 * console.log(hasOpenToolUse(call, detectPairs([call]))); // true
 * ```
 */
export function hasOpenToolUse(message: Message, pairs: readonly ToolPair[]): boolean {
  return pairsOf(message, pairs).some((pair) => pair.call.message === message && pair.result === undefined);
}

/**
 * The message that holds the other half of this message's tool pair: of its first pair, or of the one with
 * `toolUseId`. Undefined when it has none, or when the call is still open.
 * @example
 * ```ts
 * import { detectPairs, getPairPartner, type Message } from "palimpsest/core";
 * const call: Message = { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "read", input: {} }] };
 * const result: Message = { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "text" }] };
 * console.log(getPairPartner(result, detectPairs([call, result])) === call); // true
 * ```
 */
export function getPairPartner(message: Message, pairs: readonly ToolPair[], toolUseId?: string): Message | undefined {
  const pair = pairsOf(message, pairs).find(
    (candidate) => toolUseId === undefined || candidate.toolUseId === toolUseId,
  );
  if (pair === undefined) return undefined;
  return pair.call.message === message ? pair.result?.message : pair.call.message;
}

const pairIndexes = new WeakMap<readonly ToolPair[], ReadonlyMap<Message, readonly ToolPair[]>>();

/** The pairs that have a half in this message; the index is built once per list of pairs. */
function pairsOf(message: Message, pairs: readonly ToolPair[]): readonly ToolPair[] {
  assertArray("pairs", pairs);
  let index = pairIndexes.get(pairs);
  if (index === undefined) {
    index = indexByMessage(pairs);
    pairIndexes.set(pairs, index);
  }
  return index.get(message) ?? [];
}

function indexByMessage(pairs: readonly ToolPair[]): ReadonlyMap<Message, readonly ToolPair[]> {
  const index = new Map<Message, ToolPair[]>();
  for (const pair of pairs) {
    for (const half of [pair.call, pair.result]) {
      if (half === undefined) continue;
      const list = index.get(half.message);
      if (list === undefined) index.set(half.message, [pair]);
      else list.push(pair);
    }
  }
  return index;
}

/** The content as blocks: a string is one text block. */
export function allBlocks(content: Content): readonly Block[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

export function contentBlocks(content: Content): readonly Block[] {
  return typeof content === "string" ? [] : content;
}

export function isToolUse(block: Block): block is ToolUseBlock {
  return isKnownBlock(block) && block.type === "tool_use";
}

export function isToolResult(block: Block): block is ToolResultBlock {
  return isKnownBlock(block) && block.type === "tool_result";
}

/** Begins the ids that we give to calls for which an agent sent none, or one that it had used before. Other conversations have the same ids. */
const INVENTED = "unnamed-call-";

/** The id for a call, by its number in the conversation or by a name that no other call of the conversation has. */
export function inventCallId(name: number | string): string {
  return `${INVENTED}${name}`;
}

export function isInventedCallId(id: string): boolean {
  return id.startsWith(INVENTED);
}
