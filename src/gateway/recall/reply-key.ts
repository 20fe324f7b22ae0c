import { hash } from "node:crypto";
import type { Message } from "../../core/message/message.ts";
import { contentBlocks } from "../../core/message/tool-pairs.ts";
import { isDistinctive } from "../match/fingerprints.ts";
import { type IncomingRequest, keysOf } from "../match/incoming-request.ts";

const KEY_LENGTH = 32;

interface KnownKey {
  readonly place: string;
  readonly length: number;
  readonly key: string;
}

/** Messages that an earlier request had too are the same objects. */
const known = new WeakMap<Message, KnownKey>();

/** How many messages from this one on are one reply: some clients keep each piece of a stream as a message. 0 where none begins here. */
export function replyLength(messages: readonly Message[], index: number): number {
  if (messages[index]?.role !== "assistant" || messages[index - 1]?.role === "assistant") return 0;
  let length = 1;
  while (messages[index + length]?.role === "assistant") length++;
  return length;
}

/**
 * What a reply is found by when its agent sends it again, whichever gateway gets it. A reply that occurs in one conversation alone is found by
 * its words and calls; any other, such as "Done.", also by where it stands and by what stands before it: nobody else's may be taken for it.
 * Thoughts do not count, as some agents drop them, and neither does white space.
 */
export function replyKey(incoming: IncomingRequest, index: number): string | undefined {
  const { messages, fingerprints, scope } = incoming;
  const [message, length] = [messages[index], replyLength(messages, index)];
  if (message === undefined || length === 0) return undefined;
  const place = `${scope?.id ?? ""} ${index} ${fingerprints[0]} ${fingerprints[index - 1]}`;
  const before = known.get(message);
  if (before?.place === place && before.length === length) return before.key;
  const key = `r:${hash("sha256", JSON.stringify(saidIn(incoming, { index, length, place })), "hex").slice(0, KEY_LENGTH)}`;
  known.set(message, { place, length, key });
  return key;
}

interface PlacedReply {
  readonly index: number;
  readonly length: number;
  readonly place: string;
}

function saidIn(incoming: IncomingRequest, { index, length, place }: PlacedReply): readonly unknown[] {
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
