import type { FoundRecord } from "../../core/ports/store.ts";
import type { MemorySession } from "./memory-session.ts";

/** The records that hold any of the terms, best first. */
export function searchSessions(sessions: Iterable<MemorySession>, terms: readonly string[]): FoundRecord[] {
  const distinctTerms = [...new Set(terms)];
  const found = [...sessions].flatMap((session) => searchSession(session, distinctTerms));
  return found.sort((a, b) => b.matches - a.matches || b.sessionKey - a.sessionKey || b.version - a.version);
}

function searchSession({ key, id, postings }: MemorySession, terms: readonly string[]): readonly FoundRecord[] {
  const matches = new Map<number, number>();
  for (const version of terms.flatMap((term) => postings.get(term) ?? [])) {
    matches.set(version, (matches.get(version) ?? 0) + 1);
  }
  return [...matches].map(([version, count]) => ({ sessionKey: key, sessionId: id, version, matches: count }));
}
