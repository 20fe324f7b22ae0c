import { grow } from "../index/term-table.ts";
import type { PassageKind } from "../passages/block-texts.ts";

/** Which passages are from which message, with the messages' times. */
export interface PassageOrder {
  /** How many messages the log has. */
  messages(): number;
  /** The passages of a message, in the order of its text, whenever each of them came into scope. */
  passagesOf(messageIndex: number): readonly number[];
  messageOf(passage: number): number;
  /** Positive where a passage stands later in the log than another one, negative where it stands before it. */
  compare(one: number, other: number): number;
  kindOf(passage: number): PassageKind | undefined;
  /** When a message was said, in milliseconds since the epoch; undefined where it has no time. */
  timeOf(messageIndex: number): number | undefined;
  /** The latest time of all messages. */
  newestMs(): number | undefined;
}

/** An order that grows with the log. */
export interface GrowingOrder extends PassageOrder {
  addMessage(ts: number | undefined): void;
  /** Adds a passage, with the next number, to a message that was added before. The passages of a block are added in their order. */
  addPassage(messageIndex: number, blockIndex: number, kind: PassageKind): void;
}

const KINDS: readonly PassageKind[] = ["text", "reasoning", "tool-call", "tool-result", "summary"];
/** A message index and a kind are packed into one number: index × 8 + kind. */
const KIND_VALUES = 8;

/** An empty order. Kept in arrays of numbers, as a query reads hundreds of thousands of entries, and objects would be scattered in memory. */
export function createPassageOrder(): GrowingOrder {
  const passagesBy: number[][] = [];
  let owners = new Uint32Array(1_024);
  let blocks = new Uint32Array(1_024);
  let passages = 0;
  /** Messages whose passages were not added in the order of their blocks: sorted when they are read next. */
  const unordered = new Set<number>();
  const times: (number | undefined)[] = [];
  let newestMs: number | undefined;
  const messageOf = (passage: number) => Math.floor((owners[passage] ?? 0) / KIND_VALUES);
  const blockOf = (passage: number) => blocks[passage] ?? 0;
  const compare = (one: number, other: number) =>
    messageOf(one) - messageOf(other) || blockOf(one) - blockOf(other) || one - other;
  return {
    messages: () => passagesBy.length,
    passagesOf(messageIndex) {
      const ofMessage = passagesBy[messageIndex] ?? NONE;
      return unordered.delete(messageIndex) ? ofMessage.sort(compare) : ofMessage;
    },
    messageOf,
    compare,
    kindOf: (passage) => KINDS[(owners[passage] ?? 0) % KIND_VALUES],
    timeOf: (messageIndex) => times[messageIndex],
    newestMs: () => newestMs,
    addMessage(ts) {
      passagesBy.push([]);
      times.push(ts);
      if (ts !== undefined && ts > (newestMs ?? Number.NEGATIVE_INFINITY)) newestMs = ts;
    },
    addPassage(messageIndex, blockIndex, kind) {
      owners = grow(owners, passages + 1);
      owners[passages] = messageIndex * KIND_VALUES + KINDS.indexOf(kind);
      blocks = grow(blocks, passages + 1);
      blocks[passages] = blockIndex;
      const ofMessage = passagesBy[messageIndex] ?? [];
      // A block that a fold hides later than its neighbours is numbered after them.
      if (blockOf(ofMessage.at(-1) ?? passages) > blockIndex) unordered.add(messageIndex);
      ofMessage.push(passages++);
    },
  };
}

const NONE: number[] = [];
