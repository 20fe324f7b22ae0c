import type { Message } from "../../message/message.ts";
import type { EvalSession } from "../eval-types.ts";
import { isIdentifier } from "../identifiers/is-identifier.ts";
import { scanNames } from "../identifiers/scan-names.ts";
import { type Author, messageParts } from "../view/message-parts.ts";

/** The identifiers in one part of a message, and how often each occurs. */
export interface PartIdentifiers {
  readonly author: Author;
  readonly counts: ReadonlyMap<string, number>;
}

const cachedIdentifiers = new WeakMap<Message, readonly PartIdentifiers[]>();

/** The identifiers of a message, part by part; cached by message object. */
export function messageIdentifiers(message: Message): readonly PartIdentifiers[] {
  const cached = cachedIdentifiers.get(message);
  if (cached !== undefined) return cached;
  const parts = messageParts(message).map(({ author, texts }) => ({ author, counts: countIdentifiers(texts) }));
  cachedIdentifiers.set(message, parts);
  return parts;
}

function countIdentifiers(texts: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) {
    for (const name of scanNames(text)) {
      if (isIdentifier(name)) counts.set(name.value, (counts.get(name.value) ?? 0) + 1);
    }
  }
  return counts;
}

/** Every word of a text, whether it looks like an identifier there or not: a name counts as shown without its `()`. */
export function wordSet(lines: Iterable<string>): ReadonlySet<string> {
  const words = new Set<string>();
  for (const line of lines) for (const { value } of scanNames(line)) words.add(value);
  return words;
}

/** With fewer sessions, an identifier that occurs in most of them need not be common knowledge. */
const MIN_SESSIONS = 5;

/** Identifiers that occur in more than half of all sessions, which an agent knows anyway. None where there are fewer than five sessions. */
export function findCommonIdentifiers(sessions: readonly EvalSession[]): ReadonlySet<string> {
  if (sessions.length < MIN_SESSIONS) return new Set();
  const sessionCounts = new Map<string, number>();
  for (const { messages } of sessions) {
    for (const value of identifiersOfSession(messages)) sessionCounts.set(value, (sessionCounts.get(value) ?? 0) + 1);
  }
  const common = [...sessionCounts].filter(([, count]) => count > sessions.length / 2);
  return new Set(common.map(([value]) => value));
}

function identifiersOfSession(messages: EvalSession["messages"]): ReadonlySet<string> {
  const values = new Set<string>();
  for (const message of messages) {
    for (const { counts } of messageIdentifiers(message)) for (const value of counts.keys()) values.add(value);
  }
  return values;
}
