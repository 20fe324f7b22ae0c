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
}

/** One that grows with the log. */
export interface GrowingOrder extends PassageOrder {
  addMessage(): void;
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
  return {
    messages: () => passagesBy.length,
    passagesOf: (messageIndex) => passagesBy[messageIndex] ?? NONE,
    messageOf: (passage) => Math.floor((owners[passage] ?? 0) / KIND_VALUES),
    kindOf: (passage) => KINDS[(owners[passage] ?? 0) % KIND_VALUES],
    addMessage: () => void passagesBy.push([]),
    addPassage(messageIndex, kind) {
      owners = grow(owners, passages + 1);
      owners[passages] = messageIndex * KIND_VALUES + KINDS.indexOf(kind);
      passagesBy[messageIndex]?.push(passages++);
    },
  };
}

const NONE: readonly number[] = [];
