import { describe, expect, test } from "vitest";
import { findPieceEnd } from "./split-pieces.ts";
import { createTextBuffer, writeText } from "./text-buffer.ts";

function split(text: string): readonly string[] {
  const buffer = createTextBuffer(text.length);
  const end = writeText(buffer, text);
  const pieces: string[] = [];
  for (let start = 0; start < end; ) {
    const pieceEnd = findPieceEnd(buffer.bytes, start);
    pieces.push(new TextDecoder("utf-8", { ignoreBOM: true }).decode(buffer.bytes.subarray(start, pieceEnd)));
    start = pieceEnd;
  }
  return pieces;
}

describe("splits", () => {
  test.each([
    ["words with the space before them", "Hello there world", ["Hello", " there", " world"]],
    ["words at capitals", "getURLFor ABc", ["get", "URLFor", " ABc"]],
    ["contractions with their word", "DON'T it'ſ we'x", ["DON'T", " it'ſ", " we", "'x"]],
    ["numbers by three digits", "1234567 8", ["123", "456", "7", " ", "8"]],
    ["symbols with the line ends and slashes after them", "a //\n/ b", ["a", " //\n/", " b"]],
    ["one symbol off with the word after it", "(foo) [[bar", ["(foo", ")", " [[", "bar"]],
    ["blanks up to the last line end", "a \n \n  b", ["a", " \n \n", " ", " b"]],
    ["trailing blanks as one", "a   ", ["a", "   "]],
    ["a tab before a symbol by itself", "\t!", ["\t", "!"]],
    ["capitals off letters without case unless small ones follow", "中AB 中ABc", ["中", "AB", " 中ABc"]],
    ["a mark with the word it can open", "\u0301ab \u0301AB", ["\u0301ab", " \u0301", "AB"]],
    ["a lone mark off the capitals after it", "\u0301AB", ["\u0301", "AB"]],
    ["marks with symbols before them", "!!\u0301!", ["!!\u0301!"]],
    ["a byte order mark as a symbol", "\ufeffa", ["\ufeffa"]],
    ["U+0085 as whitespace", "a\u0085\u0085b", ["a", "\u0085", "\u0085b"]],
  ])("%s", (_, text, pieces) => {
    expect(split(text)).toEqual(pieces);
  });
});
