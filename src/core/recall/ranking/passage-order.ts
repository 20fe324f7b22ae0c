import { grow } from "../index/term-table.ts";
import type { PassageKind } from "../passages/block-texts.ts";

/** Which passages are of which message. */
export interface PassageOrder {
  /** How many messages the log has. */
  messages(): number;
  /** The passages of a message, in their order. */
  passagesOf(messageIndex: number): readonly number[];
  messageOf(passage: number): number;
  kindOf(passage: number): PassageKind | undefined;
  /** When a message was said, in milliseconds since the epoch, where it tells. */
  timeOf(messageIndex: number): number | undefined;
  /** The latest time of all. */
  newestMs(): number | undefined;
}

/** One that grows with the log. */
export interface GrowingOrder extends PassageOrder {
  addMessage(ts: number | undefined): void;
  /** Gives the next number to a passage of a message that was added. */
  addPassage(messageIndex: number, kind: PassageKind): void;
}

const KINDS: readonly PassageKind[] = ["text", "reasoning", "tool-call", "tool-result", "summary"];
/** A kind and the number of a message in one number. */
const KIND_VALUES = 8;

/** No messages yet. Numbers lie in arrays of numbers: a query reads hundreds of thousands of them, and objects would be all over the memory. */
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
