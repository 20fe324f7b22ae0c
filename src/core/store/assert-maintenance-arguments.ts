import { assert, assertObject } from "../assert.ts";
import type { SessionSize } from "../ports/store-maintenance.ts";
import { assertName, assertSessionKey } from "./assert-store-arguments.ts";

export function assertPin(sessionId: string, isPinned: boolean): void {
  assertName("sessionId", sessionId);
  assert(typeof isPinned === "boolean", "isPinned", isPinned, "true or false");
}

export function assertHolds(sessionKey: number, text: string): void {
  assertSessionKey(sessionKey);
  assert(typeof text === "string" && text !== "", "text", text, "a text, not empty");
}

export function assertMeasured(session: Pick<SessionSize, "key" | "version">): void {
  assertObject("session", session);
  assertSessionKey(session.key);
  const isVersion = Number.isSafeInteger(session.version) && session.version >= 0;
  assert(isVersion, "session.version", session.version, "a whole number of at least 0");
}
