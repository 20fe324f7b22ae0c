import { hash } from "node:crypto";
import type { WireRequest } from "../../core/ports/wire-adapter.ts";

/** What the keys of calls begin with. */
export const CALL_KEY = "c:";

const KEY_LENGTH = 24;
const ID_LENGTH = 8;

/** One key per message of a request: equal for messages that say the same. */
export function messageFingerprints(request: WireRequest): readonly string[] {
  return request.messages.map((_, index) => `m:${digest(request.canonical(index), KEY_LENGTH)}`);
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
