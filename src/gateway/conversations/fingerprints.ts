import { hash } from "node:crypto";
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

/** By the first item: what was read before, as part of another request, is the same objects. */
const known = new WeakMap<WeakKey, Known>();

/** One key per message of a request: equal for messages that say the same. */
export function messageFingerprints(request: WireRequest): readonly string[] {
  return request.messages.map((_, index) => {
    const items = request.items(index);
    const [first] = items;
    if (typeof first !== "object" || first === null) return fingerprintOf(request, index);
    const before = known.get(first);
    if (before !== undefined && areSame(before.items, items)) return before.fingerprint;
    const fingerprint = fingerprintOf(request, index);
    known.set(first, { items, fingerprint });
    return fingerprint;
  });
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

/** A short name for a conversation that begins with these messages. */
export function beginningId(fingerprints: readonly string[]): string {
  return digest(fingerprints.join("\n"), ID_LENGTH);
}

function digest(text: string, length: number): string {
  return hash("sha256", text, "hex").slice(0, length);
}
