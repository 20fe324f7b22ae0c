import { createHash } from "node:crypto";
import type { Message } from "../../core/message/message.ts";

/** Whether a log came back as it was. */
export interface LogComparison {
  /** Of original messages that did not come back exactly. */
  readonly bytesLost: number;
  /** SHA-256 of the session as it came in, and of the final log with every fold removed. */
  readonly hashBefore: string;
  readonly hashAfter: string;
}

export function compareLogs(original: readonly Message[], restored: readonly Message[]): LogComparison {
  let bytesLost = 0;
  for (const [index, message] of original.entries()) {
    const text = JSON.stringify(message);
    if (text !== JSON.stringify(restored[index])) bytesLost += Buffer.byteLength(text);
  }
  return { bytesLost, hashBefore: hashOf(original), hashAfter: hashOf(restored) };
}

function hashOf(messages: readonly Message[]): string {
  return createHash("sha256").update(JSON.stringify(messages)).digest("hex");
}
