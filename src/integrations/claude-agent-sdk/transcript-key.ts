import { hash } from "node:crypto";
import { assert, assertObject } from "../../core/assert.ts";
import { asName } from "../../core/json/read-json.ts";
import type { IntegrationPrefix } from "../../core/ports/integration-ids.ts";
import type { ClaudeSessionKey } from "./types.ts";

/** Engines neither open nor list sessions with this prefix. */
const SESSION_PREFIX: IntegrationPrefix = "claude-agent:";

/** The name of a transcript in the store. */
export function storedIdOf({ projectKey, sessionId, subpath }: ClaudeSessionKey): string {
  const parts = [projectKey, sessionId, ...(subpath === undefined ? [] : [subpath])];
  return SESSION_PREFIX + parts.map(encode).join("/");
}

/** The last part of a transcript's name: the id of its session, or its subpath. */
export function lastPartOf(storedId: string): string {
  return decode(storedId.slice(storedId.lastIndexOf("/") + 1));
}

function encode(part: string): string {
  return part.replaceAll("%", "%25").replaceAll("/", "%2F");
}

function decode(part: string): string {
  return part.replaceAll("%2F", "/").replaceAll("%25", "%");
}

// No word of a message begins with "§", so that a search of messages never finds a transcript.
const term = (kind: string, ...parts: readonly string[]) =>
  `§claude-agent-${kind}:${hash("sha256", JSON.stringify(parts), "hex").slice(0, 32)}`;

export const entryTerm = (uuid: string): string => term("entry", uuid);
export const sessionsTerm = (projectKey: string): string => term("sessions", projectKey);
export const subkeysTerm = ({ projectKey, sessionId }: ClaudeSessionKey): string =>
  term("subkeys", projectKey, sessionId);

/** The term on the first record of a transcript, by which transcripts are listed. */
export function listTerm(key: ClaudeSessionKey): string {
  return key.subpath === undefined ? sessionsTerm(key.projectKey) : subkeysTerm(key);
}

export function checkKey(key: ClaudeSessionKey): void {
  assertObject("key", key);
  assertName("key.projectKey", key.projectKey);
  assertName("key.sessionId", key.sessionId);
  if (key.subpath !== undefined) assertName("key.subpath", key.subpath);
}

export function assertName(name: string, value: unknown): void {
  assert(asName(value) !== undefined, name, value, "a text that is not empty");
}
