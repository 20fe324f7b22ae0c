import type { Message } from "palimpsest";
import { countMessageTokens } from "palimpsest/core";

const tokens = new WeakMap<Message, number>();
const texts = new WeakMap<Message, string>();

/** Our count of a message, kept: a replay asks for the same messages at every call. */
export function tokensOf(message: Message): number {
  const known = tokens.get(message) ?? countMessageTokens(message);
  tokens.set(message, known);
  return known;
}

export function tokensOfAll(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => sum + tokensOf(message), 0);
}

/** What is sent of a message; tags and folds are not. */
export function sentText(message: Message): string {
  const known = texts.get(message) ?? JSON.stringify([message.role, message.content]);
  texts.set(message, known);
  return known;
}

export interface SharedPrefix {
  readonly messages: number;
  /** As we count, with a share of the first message that differs. */
  readonly tokens: number;
}

/** What two views have in common from their beginning: whole messages, then characters of the first that differs. */
export function sharedPrefix(before: readonly Message[], after: readonly Message[]): SharedPrefix {
  let messages = 0;
  let sharedTokens = 0;
  for (; messages < Math.min(before.length, after.length); messages++) {
    const [one, other] = [before[messages], after[messages]];
    if (one === undefined || other === undefined) break;
    if (one !== other && sentText(one) !== sentText(other)) {
      return { messages, tokens: sharedTokens + sharedShare(sentText(one), sentText(other)) * tokensOf(other) };
    }
    sharedTokens += tokensOf(other);
  }
  return { messages, tokens: sharedTokens };
}

function sharedShare(one: string, other: string): number {
  const most = Math.min(one.length, other.length);
  let shared = 0;
  while (shared < most && one[shared] === other[shared]) shared++;
  return shared / other.length;
}
