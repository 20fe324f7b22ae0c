import { hash } from "node:crypto";

/** A tsvector takes less than 1 MiB of lexemes, and a UTF-16 unit has three bytes at most; smaller vectors are cheaper to build. */
const MAX_PART_CHARACTERS = 128 * 1024;

/** A term that needs neither hashing nor escaping, as nearly all do. */
const PLAIN = /^[^ \0\\'\p{Surrogate}]+$/u;

/**
 * The terms of a record as tsvector literals, one for each row of the index: each term is in one of them, and all of them
 * have the session's own lexeme.
 */
export function indexParts(sessionKey: number, terms: readonly string[]): readonly string[] {
  const parts: string[][] = [];
  let part: string[] = [];
  let characters = Number.POSITIVE_INFINITY;
  for (const term of new Set(terms)) {
    const literal = literalOf(term);
    if (characters + literal.length > MAX_PART_CHARACTERS) {
      part = [sessionQuery(sessionKey)];
      parts.push(part);
      characters = 0;
    }
    part.push(literal);
    characters += literal.length;
  }
  return parts.map((part) => part.join(" "));
}

/** One tsquery literal for each of the terms, for one session or for all. */
export function termQueries(terms: readonly string[], sessionKey: number | undefined): readonly string[] {
  const scope = sessionKey === undefined ? "" : `${sessionQuery(sessionKey)} & `;
  return [...new Set(terms)].map((term) => scope + literalOf(term));
}

/** The lexeme that all rows of a session have, so that a search in one session skips all others. */
export function sessionQuery(sessionKey: number): string {
  return quote(`session ${sessionKey}`);
}

function literalOf(term: string): string {
  return PLAIN.test(term) ? `'${term}'` : quote(lexemeOf(term));
}

/** The term itself, or its hash where PostgreSQL cannot store it, or it has a space as our own lexemes do. */
function lexemeOf(term: string): string {
  return /^[^ \0\p{Surrogate}]+$/u.test(term) ? term : `sha256 ${hash("sha256", Buffer.from(term, "utf16le"))}`;
}

/** Quotes a lexeme for both tsvector and tsquery. */
function quote(lexeme: string): string {
  return `'${lexeme.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`;
}
