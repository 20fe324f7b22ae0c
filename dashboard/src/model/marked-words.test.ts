import fc from "fast-check";
import { expect, test } from "vitest";
import { markWords } from "./marked-words.ts";

const marked = (text: string, query: string) =>
  markWords(text, query).flatMap((piece) => (piece.isMarked ? [piece.text] : []));

test("marks the words of a query, however they are written or end", () => {
  expect(marked("The Feed is free up to 640 pages, one page an hour.", "feed pages 640")).toEqual([
    "Feed",
    "640",
    "pages",
    "page",
  ]);
  expect(marked("a cat scattered", "cat")).toEqual(["cat"]);
  expect(marked("anything", "")).toEqual([]);
});

test("the pieces are the text, whatever it holds", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 20 }), fc.string({ maxLength: 8 }), (text, query) => {
      expect(
        markWords(text, query)
          .map((piece) => piece.text)
          .join(""),
      ).toBe(text);
    }),
  );
});
