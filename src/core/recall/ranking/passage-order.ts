import { grow } from "../index/term-table.ts";
import type { PassageKind } from "../passages/block-texts.ts";

/** Which passages are from which message, with the messages' times. */
export interface PassageOrder {
  /** How many messages the log has. */
  messages(): number;
  /** The passages of a message, in their order. */
  passagesOf(messageIndex: number): readonly number[];
  messageOf(passage: number): number;
  kindOf(passage: number): PassageKind | undefined;
  /** When a message was said, in milliseconds since the epoch; undefined where it has no time. */
  timeOf(messageIndex: number): number | undefined;
  /** The latest time of all messages. */
  newestMs(): number | undefined;
}

/** An order that grows with the log. */
export interface GrowingOrder extends PassageOrder {
  addMessage(ts: number | undefined): void;
  /** Adds a passage, with the next number, to a message that was added before. */
  addPassage(messageIndex: number, kind: PassageKind): void;
}

const KINDS: readonly PassageKind[] = ["text", "reasoning", "tool-call", "tool-result", "summary"];
/** A message index and a kind are packed into one number: index × 8 + kind. */
const KIND_VALUES = 8;

/** An empty order. Kept in arrays of numbers, as a query reads hundreds of thousands of entries, and objects would be scattered in memory. */
export function createPassageOrder(): GrowingOrder {
  const passagesBy: number[][] = [];
  let owners = new Uint32Array(1_024);
  let passages = 0;
  const times: (number | undefined)[] = [];
  let newestMs: number | undefined;
  return {
    messages: () => passagesBy.length,
    passagesOf: (messageIndex) => passagesBy[messageIndex] ?? NONE,
    messageOf: (passage) => Math.floor((owners[passage] ?? 0) / KIND_VALUES),
    kindOf: (passage) => KINDS[(owners[passage] ?? 0) % KIND_VALUES],
    timeOf: (messageIndex) => times[messageIndex],
    newestMs: () => newestMs,
    addMessage(ts) {
      passagesBy.push([]);
      times.push(ts);
      if (ts !== undefined && ts > (newestMs ?? Number.NEGATIVE_INFINITY)) newestMs = ts;
    },
    addPassage(messageIndex, kind) {
      owners = grow(owners, passages + 1);
      owners[passages] = messageIndex * KIND_VALUES + KINDS.indexOf(kind);
      passagesBy[messageIndex]?.push(passages++);
    },
  };
}

const NONE: readonly number[] = [];
