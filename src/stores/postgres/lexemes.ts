import { hash } from "node:crypto";

/** A tsvector holds less than 1 MiB of lexemes, and a character of JavaScript takes three bytes at most; smaller ones are cheaper to build. */
const MAX_PART_CHARACTERS = 128 * 1024;

/** A term that is its own lexeme, and that a literal holds as it is: nearly all are. */
const PLAIN = /^[^ \0\\'\p{Surrogate}]+$/u;

/**
 * The terms of a record as tsvector literals, one for each row of the index: a term is in one of them only, and all of them
 * hold the session's own lexeme.
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

/** Finds every row of the index that belongs to a session, so that a search in one session passes over all others. */
export function sessionQuery(sessionKey: number): string {
  return quote(`session ${sessionKey}`);
}

function literalOf(term: string): string {
  return PLAIN.test(term) ? `'${term}'` : quote(lexemeOf(term));
}

/** The term itself, or its hash where PostgreSQL cannot hold it or it could be taken for a lexeme of ours, which have a space. */
function lexemeOf(term: string): string {
  return /^[^ \0\p{Surrogate}]+$/u.test(term) ? term : `sha256 ${hash("sha256", Buffer.from(term, "utf16le"))}`;
}

/** Quoted as both tsvector and tsquery read it. */
function quote(lexeme: string): string {
  return `'${lexeme.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`;
}
