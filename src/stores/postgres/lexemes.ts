import { hash } from "node:crypto";

/** A tsvector holds less than 1 MiB of lexemes; smaller ones are cheaper to build and to compress. */
const MAX_PART_BYTES = 256 * 1024;

/**
 * The terms of a record as tsvector literals, one for each row of the index: a term is in one of them only, and all of them
 * hold the session's own lexeme.
 */
export function indexParts(sessionKey: number, terms: readonly string[]): readonly string[] {
  const parts: string[][] = [];
  let partBytes = Number.POSITIVE_INFINITY;
  for (const term of new Set(terms)) {
    const lexeme = lexemeOf(term);
    const bytes = Buffer.byteLength(lexeme);
    if (partBytes + bytes > MAX_PART_BYTES) {
      parts.push([sessionQuery(sessionKey)]);
      partBytes = 0;
    }
    parts.at(-1)?.push(quote(lexeme));
    partBytes += bytes;
  }
  return parts.map((part) => part.join(" "));
}

/** One tsquery literal for each of the terms, for one session or for all. */
export function termQueries(terms: readonly string[], sessionKey: number | undefined): readonly string[] {
  const scope = sessionKey === undefined ? "" : `${sessionQuery(sessionKey)} & `;
  return [...new Set(terms)].map((term) => scope + quote(lexemeOf(term)));
}

/** Finds every row of the index that belongs to a session, so that a search in one session passes over all others. */
export function sessionQuery(sessionKey: number): string {
  return quote(`session ${sessionKey}`);
}

/** The term itself, or its hash where PostgreSQL cannot hold it or it could be taken for a lexeme of ours, which have a space. */
function lexemeOf(term: string): string {
  return /^[^ \0\p{Surrogate}]+$/u.test(term) ? term : `sha256 ${hash("sha256", Buffer.from(term, "utf16le"))}`;
}

/** Quoted as both tsvector and tsquery read it. */
function quote(lexeme: string): string {
  return `'${lexeme.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`;
}
