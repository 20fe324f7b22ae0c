import { countMessagesTokens, ledgerTerms, type Message } from "palimpsest/core";
import { findQuestions } from "palimpsest/evals";
import type { CodingSession } from "../coding-sessions.ts";
import type { Group } from "./fit-model.ts";

/** What one boundary tells about the two models of the ledger. */
export interface LedgerExample {
  readonly session: CodingSession;
  readonly identifiers: Group;
  readonly lines: Group;
}

export interface LedgerDataset {
  readonly examples: readonly LedgerExample[];
  readonly identifierTerms: readonly string[];
  readonly lineTerms: readonly string[];
}

/** Shorter logs are hardly ever folded. */
const LEAST_LOG_TOKENS = 20_000;
/** As shares of a session's model calls: more moments than are measured, as the sessions are few. */
const PLACES = [0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];

/** The terms of all identifiers and lines at the boundaries of the sessions, and which of them were needed. */
export function ledgerDataset(sessions: readonly CodingSession[]): LedgerDataset {
  const bySession = new Map(sessions.map((session): [unknown, CodingSession] => [session, session]));
  const questions = findQuestions(sessions, { leastLogTokens: LEAST_LOG_TOKENS, places: PLACES });
  const counts = new Map<unknown, number>();
  for (const { session } of questions) counts.set(session, (counts.get(session) ?? 0) + 1);
  const names = { identifiers: new Set<string>(), lines: new Set<string>() };
  const examples = questions.flatMap((asked): readonly LedgerExample[] => {
    const session = bySession.get(asked.session);
    if (session === undefined) return [];
    const log = asked.session.messages.slice(0, asked.index);
    const { identifiers, lines } = ledgerTerms(log, { visible: newestMessages(log) });
    const editLines = new Set(Array.from(asked.editLines, withoutSign));
    // Sessions count alike, however many boundaries they have.
    const weight = 1 / (counts.get(asked.session) ?? 1);
    return [
      {
        session,
        identifiers: {
          rows: identifiers.map(({ terms }) => rowOf(terms, names.identifiers)),
          isTrue: identifiers.map(({ identifier }) => asked.identifiers.has(identifier)),
          weight,
        },
        lines: {
          rows: lines.map(({ terms }) => rowOf(terms, names.lines)),
          isTrue: lines.map(({ line }) => editLines.has(line)),
          weight,
        },
      },
    ];
  });
  return { examples, identifierTerms: [...names.identifiers], lineTerms: [...names.lines] };
}

/** The ledger tells lines of files without the sign that a diff, or a list, puts before them. */
function withoutSign(line: string): string {
  return line.replace(/^[+-](?![+-])/, "").trim();
}

/** About what a view shows as it was said. */
const TAIL_TOKENS = 1_500;

function newestMessages(log: readonly Message[]): readonly Message[] {
  let start = log.length - 1;
  while (start > 0 && countMessagesTokens(log.slice(start - 1)) <= TAIL_TOKENS) start--;
  return log.slice(start);
}

/** Terms come in the same order each time; their names are noted on the way. */
function rowOf(terms: Readonly<Record<string, number>>, names: Set<string>): Float64Array {
  if (names.size === 0) for (const name of Object.keys(terms)) names.add(name);
  return Float64Array.from(Object.values(terms));
}
