import type { Message } from "palimpsest";

/** A conversation, and questions about it whose evidence somebody marked. */
export interface Chat {
  readonly name: string;
  readonly messages: readonly Message[];
  readonly questions: readonly Question[];
}

export interface Question {
  readonly query: string;
  /** Stretches of messages, first and last, that hold the answer. */
  readonly spans: readonly Span[];
  /** The words in these messages that give the answer, where they are known. */
  readonly sources?: readonly string[];
}

export type Span = readonly [first: number, last: number];

/** The numbers of the messages inside the spans, each once, in order. */
export function evidenceOf({ spans }: Question): readonly number[] {
  const numbers = new Set<number>();
  for (const [first, last] of spans) for (let at = first; at <= last; at++) numbers.add(at);
  return [...numbers].toSorted((one, other) => one - other);
}

/** Several conversations as one, with the questions of all. */
export function joinChats(chats: readonly Chat[], name: string): Chat {
  const messages: Message[] = [];
  const questions: Question[] = [];
  for (const chat of chats) {
    const offset = messages.length;
    messages.push(...chat.messages);
    for (const { spans, ...question } of chat.questions) {
      questions.push({ ...question, spans: spans.map(([first, last]) => [first + offset, last + offset]) });
    }
  }
  return { name, messages: messages.map((message, at) => ({ ...message, id: `m${at}` })), questions };
}

/** The text of a message of these chats. */
export function textOf({ content }: Message): string {
  return typeof content === "string" ? content : "";
}
