import type { EvalSession } from "../eval-types.ts";
import { messageIdentifiers } from "./eval-identifiers.ts";

/** With fewer sessions, what occurs in most of them says nothing about the world. */
const MIN_SESSIONS = 5;

/** Identifiers that occur in more than half of all sessions: an agent knows those anyway. None with under five sessions. */
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
