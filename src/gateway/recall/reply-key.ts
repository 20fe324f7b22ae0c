import { hash } from "node:crypto";
import type { Message } from "../../core/message/message.ts";
import { contentBlocks } from "../../core/message/tool-pairs.ts";
import { isDistinctive } from "../match/fingerprints.ts";
import { type IncomingRequest, keysOf } from "../match/incoming-request.ts";

const KEY_LENGTH = 32;

interface CachedKey {
  readonly place: string;
  readonly length: number;
  readonly key: string;
}

/** Caches keys by the reply's first message: messages that an earlier request had too are the same objects. */
const cachedKeys = new WeakMap<Message, CachedKey>();

/** How many messages the reply that begins at an index has, as some clients keep each piece of a stream as a message; 0 where no reply begins there. */
export function replyLength(messages: readonly Message[], index: number): number {
  if (messages[index]?.role !== "assistant" || messages[index - 1]?.role === "assistant") return 0;
  let length = 1;
  while (messages[index + length]?.role === "assistant") length++;
  return length;
}

/**
 * The key by which any gateway finds a reply when its agent sends it again; undefined where no reply begins at the index. A distinctive reply's key
 * is made of its words and calls. The key of any other, such as "Done.", also covers its index, the conversation's first message and the one before
 * it, so that replies of different conversations are not confused. Thoughts and white space are left out, as some agents drop or change them.
 */
export function replyKey(incoming: IncomingRequest, index: number): string | undefined {
  const { messages, fingerprints, scope } = incoming;
  const [message, length] = [messages[index], replyLength(messages, index)];
  if (message === undefined || length === 0) return undefined;
  const place = `${scope?.id ?? ""} ${index} ${fingerprints[0]} ${fingerprints[index - 1]}`;
  const before = cachedKeys.get(message);
  if (before?.place === place && before.length === length) return before.key;
  const key = `r:${hash("sha256", JSON.stringify(contentOfReply(incoming, { index, length, place })), "hex").slice(0, KEY_LENGTH)}`;
  cachedKeys.set(message, { place, length, key });
  return key;
}

interface PlacedReply {
  readonly index: number;
  readonly length: number;
  readonly place: string;
}

function contentOfReply(incoming: IncomingRequest, { index, length, place }: PlacedReply): readonly unknown[] {
  const indexes = Array.from({ length }, (_, offset) => index + offset);
  const said = incoming.messages.slice(index, index + length);
  const isAlone = said.some((message, at) => isDistinctive({ ...message, keys: keysOf(incoming, index + at) }));
  const callIds = indexes.flatMap((at) => incoming.request.callIds[at] ?? []);
  return [isAlone ? "" : place, said.map(wordsOf).join(""), callIds];
}

function wordsOf({ content }: Message): string {
  const texts = contentBlocks(content).map((block) => {
    if (block.type === "text" && "text" in block) return String(block.text);
    return block.type === "tool_use" && "name" in block ? String(block.name) : "";
  });
  return texts.join("").replaceAll(/\s+/g, "");
}
