import { hash } from "node:crypto";
import type { Message } from "../../core/message/message.ts";
import { contentBlocks } from "../../core/message/tool-pairs.ts";
import { isDistinctive } from "../match/fingerprints.ts";
import { type IncomingRequest, keysOf } from "../match/incoming-request.ts";

const KEY_LENGTH = 32;

interface KnownKey {
  readonly place: string;
  readonly key: string;
}

/** Messages that an earlier request had too are the same objects. */
const known = new WeakMap<Message, KnownKey>();

/**
 * What a reply is found by when its agent sends it again, whichever gateway gets it. A reply that occurs in one conversation alone is found by
 * its words and calls; any other, such as "Done.", also by where it stands and by what stands before it: nobody else's may be taken for it.
 * Thoughts do not count, as some agents drop them, and neither does white space.
 */
export function replyKey(incoming: IncomingRequest, index: number): string | undefined {
  const message = incoming.messages[index];
  if (message?.role !== "assistant") return undefined;
  const { fingerprints, scope } = incoming;
  const place = `${scope?.id ?? ""} ${index} ${fingerprints[0]} ${fingerprints[index - 1]}`;
  const before = known.get(message);
  if (before?.place === place) return before.key;
  const isAlone = isDistinctive({ ...message, keys: keysOf(incoming, index) });
  const said = [isAlone ? "" : place, wordsOf(message), ...(incoming.request.callIds[index] ?? [])];
  const key = `r:${hash("sha256", JSON.stringify(said), "hex").slice(0, KEY_LENGTH)}`;
  known.set(message, { place, key });
  return key;
}

function wordsOf({ content }: Message): string {
  const texts = contentBlocks(content).map((block) => {
    if (block.type === "text" && "text" in block) return String(block.text);
    return block.type === "tool_use" && "name" in block ? String(block.name) : "";
  });
  return texts.join("").replaceAll(/\s+/g, "");
}
