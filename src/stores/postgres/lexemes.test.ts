import { describe, expect, test } from "vitest";
import { indexParts, sessionQuery, termQueries } from "./lexemes.ts";

describe("indexParts", () => {
  test("quotes each term once, after the lexeme of the session", () => {
    expect(indexParts(7, ["it's", "a\\b", "it's"])).toEqual(["'session 7' 'it''s' 'a\\\\b'"]);
  });

  test("makes no row for a record without terms", () => {
    expect(indexParts(7, [])).toEqual([]);
  });

  test("splits what a tsvector cannot hold, and leaves no term out", () => {
    const terms = Array.from({ length: 4_000 }, (_, index) => `${index}-${"漢".repeat(160)}`);
    const parts = indexParts(7, terms);
    expect(parts.length).toBeGreaterThan(4);
    expect(Math.max(...parts.map((part) => Buffer.byteLength(part)))).toBeLessThan(2 ** 19);
    expect(parts.every((part) => part.startsWith(sessionQuery(7)))).toBe(true);
    expect(terms.filter((term) => parts.filter((part) => part.includes(`'${term}'`)).length !== 1)).toEqual([]);
  });

  test("no term is taken for the lexeme of a session", () => {
    expect(indexParts(7, ["session 8"])[0]).toMatch(/^'session 7' 'sha256 [0-9a-f]{64}'$/);
  });

  test("keeps apart terms that PostgreSQL cannot hold", () => {
    const odd = ["a\0b", "\0", "\ud800", "\ud801", "\udc00"];
    expect(new Set(termQueries(odd, undefined)).size).toBe(odd.length);
  });
});

describe("termQueries", () => {
  test("asks for each term once", () => {
    expect(termQueries(["b", "a", "b"], undefined)).toEqual(["'b'", "'a'"]);
  });

  test("asks for the session as well where there is one", () => {
    expect(termQueries(["a"], 12)).toEqual(["'session 12' & 'a'"]);
  });
});
