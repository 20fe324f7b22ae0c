import { hash } from "node:crypto";
import { assert } from "../../core/assert.ts";
import { compactionIdentity } from "../../core/message/compaction-block.ts";
import type { Message } from "../../core/message/message.ts";
import { isInventedCallId } from "../../core/message/tool-pairs.ts";
import type { Pacer } from "../../core/ports/pacer.ts";
import type { WireRequest } from "../../core/ports/wire-adapter.ts";

/** The prefix of the keys of tool calls. */
export const CALL_KEY = "c:";

const KEY_LENGTH = 24;
const ID_LENGTH = 8;

/** The fingerprint of a message, and the items of a request's body that it was read from. */
interface CachedFingerprint {
  readonly message: Message;
  readonly items: readonly unknown[];
  readonly fingerprint: string;
}

/** Fingerprints by the first item of a message. Items that an earlier request had too are the same objects. */
const cache = new WeakMap<WeakKey, CachedFingerprint>();
/** Fingerprints of whole conversations, by their first item: most requests repeat the messages of the previous one at the same indexes. */
const listCache = new WeakMap<WeakKey, readonly CachedFingerprint[]>();

/** One fingerprint per message of a request: equal for messages with the same content. */
export function messageFingerprints(request: WireRequest): readonly string[] {
  const first = request.messages.length === 0 ? undefined : request.items(0)[0];
  const before = isWeakKey(first) ? listCache.get(first) : undefined;
  const list = request.messages.map((_, index) => cachedAt(request, index, before?.[index]));
  if (isWeakKey(first)) listCache.set(first, list);
  return list.map(({ fingerprint }) => fingerprint);
}

/** Computes `messageFingerprints` in slices, with pauses between them. */
export async function fingerprintPaced(request: WireRequest, pacer: Pacer): Promise<readonly string[]> {
  const first = request.messages.length === 0 ? undefined : request.items(0)[0];
  const before = isWeakKey(first) ? listCache.get(first) : undefined;
  const list: CachedFingerprint[] = [];
  for (let index = 0; index < request.messages.length; index++) {
    list.push(cachedAt(request, index, before?.[index]));
    const paused = pacer.pause();
    if (paused !== undefined) await paused;
  }
  if (isWeakKey(first)) listCache.set(first, list);
  return list.map(({ fingerprint }) => fingerprint);
}

function cachedAt(request: WireRequest, index: number, before: CachedFingerprint | undefined): CachedFingerprint {
  const message = request.messages[index];
  assert(message !== undefined, "index", index, "that of a message");
  // A message is the same object only where it was read from the same items.
  if (before?.message === message) return before;
  const items = request.items(index);
  const [first] = items;
  const known = [before, isWeakKey(first) ? cache.get(first) : undefined].find(
    (each) => each !== undefined && areSame(each.items, items),
  );
  const made = { message, items, fingerprint: known?.fingerprint ?? fingerprintOf(request, index) };
  if (isWeakKey(first)) cache.set(first, made);
  return made;
}

function isWeakKey(value: unknown): value is WeakKey {
  return typeof value === "object" && value !== null;
}

function areSame(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((item, index) => item === other[index]);
}

function fingerprintOf(request: WireRequest, index: number): string {
  return `m:${digest(request.canonical(index), KEY_LENGTH)}`;
}

/** The key of a tool call: agents send its id back as the model gave it. */
export function callFingerprint(callId: string): string {
  return `${CALL_KEY}${digest(callId, KEY_LENGTH)}`;
}

/** The key of a provider's own compaction. The session whose reply brought the compaction is found by it when a request brings it back. */
export function compactionFingerprint(identity: string): string {
  return `p:${digest(identity, KEY_LENGTH)}`;
}

/** The keys of the compactions in a message. */
export function compactionKeys({ content }: Message): readonly string[] {
  if (typeof content === "string") return [];
  return content.flatMap((block) => {
    const identity = compactionIdentity(block);
    return identity === undefined ? [] : [compactionFingerprint(identity)];
  });
}

/** A short id for a conversation that begins with messages of these fingerprints. */
export function beginningId(fingerprints: readonly string[]): string {
  return digest(fingerprints.join("\n"), ID_LENGTH);
}

function digest(text: string, length: number): string {
  return hash("sha256", text, "hex").slice(0, length);
}

/** Shorter ids, such as `call_0`, are used in every conversation. */
const SHORTEST_DISTINCTIVE_ID = 12;
/** In characters. No two conversations have a text of this length in common by chance. */
const DISTINCTIVE_LENGTH = 200;

/** Whether a message can only occur in one conversation: it holds a long reply, or a call with an id that the agent sent (only such ids are in `keys`). */
export function isDistinctive({ role, content, keys = [] }: Message): boolean {
  if (role !== "assistant") return false;
  if (typeof content === "string") return content.length >= DISTINCTIVE_LENGTH;
  const hasOwnIds = keys.some((key) => key.startsWith(CALL_KEY));
  return content.some((block) => {
    if (block.type === "text" && "text" in block) return String(block.text).length >= DISTINCTIVE_LENGTH;
    return block.type === "tool_use" && "id" in block && hasOwnIds && isDistinctiveId(String(block.id));
  });
}

/** Whether a call of this id is made in one conversation alone. */
export function isDistinctiveId(id: string): boolean {
  return id.length >= SHORTEST_DISTINCTIVE_ID && !isInventedCallId(id);
}
