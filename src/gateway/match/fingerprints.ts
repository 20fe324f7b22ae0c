import { hash } from "node:crypto";
import { compactionIdentity } from "../../core/message/compaction-block.ts";
import type { Message } from "../../core/message/message.ts";
import { isInventedCallId } from "../../core/message/tool-pairs.ts";
import type { Pacer } from "../../core/ports/pacer.ts";
import type { WireRequest } from "../../core/ports/wire-adapter.ts";

/** What the keys of calls begin with. */
export const CALL_KEY = "c:";

const KEY_LENGTH = 24;
const ID_LENGTH = 8;

/** The key of a message that stands for these items. */
interface Known {
  readonly items: readonly unknown[];
  readonly fingerprint: string;
}

/** Fingerprints by the first item of a message: items that an earlier request had too are the same objects. */
const known = new WeakMap<WeakKey, Known>();
/** The same for whole conversations, by their first item: most requests have the same messages at the same places as the one before. */
const knownLists = new WeakMap<WeakKey, readonly Known[]>();

/** One key per message of a request: equal for messages that say the same. */
export function messageFingerprints(request: WireRequest): readonly string[] {
  const first = request.messages.length === 0 ? undefined : request.items(0)[0];
  const before = isWeakKey(first) ? knownLists.get(first) : undefined;
  const list = request.messages.map((_, index) => knownAt(request, index, before?.[index]));
  if (isWeakKey(first)) knownLists.set(first, list);
  return list.map(({ fingerprint }) => fingerprint);
}

/** The same, made in slices. */
export async function fingerprintPaced(request: WireRequest, pacer: Pacer): Promise<readonly string[]> {
  const first = request.messages.length === 0 ? undefined : request.items(0)[0];
  const before = isWeakKey(first) ? knownLists.get(first) : undefined;
  const list: Known[] = [];
  for (let index = 0; index < request.messages.length; index++) {
    list.push(knownAt(request, index, before?.[index]));
    const paused = pacer.pause();
    if (paused !== undefined) await paused;
  }
  if (isWeakKey(first)) knownLists.set(first, list);
  return list.map(({ fingerprint }) => fingerprint);
}

function knownAt(request: WireRequest, index: number, before: Known | undefined): Known {
  const items = request.items(index);
  if (before !== undefined && areSame(before.items, items)) return before;
  const [first] = items;
  if (!isWeakKey(first)) return { items, fingerprint: fingerprintOf(request, index) };
  const elsewhere = known.get(first);
  if (elsewhere !== undefined && areSame(elsewhere.items, items)) return elsewhere;
  const made = { items, fingerprint: fingerprintOf(request, index) };
  known.set(first, made);
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

/** A key for a call: agents send its id back as the model gave it. */
export function callFingerprint(callId: string): string {
  return `${CALL_KEY}${digest(callId, KEY_LENGTH)}`;
}

/** A key for a provider's own compaction: the reply that brings it tells whose it is before it comes back. */
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

/** A short name for a conversation that begins with these messages. */
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

/** Whether a message occurs in one conversation alone. The ids of its calls count where they are the agent's own: see `keys`. */
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
