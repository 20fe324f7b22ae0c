import { expect, test } from "vitest";
import type { CountPieceTokens } from "./count-piece-tokens.ts";
import { cachePieceCounts } from "./count-text-tokens.ts";
import { createTextBuffer, writeText } from "./text-buffer.ts";

/** Counts a piece as its length and records which ones it was asked for. */
function recordingCounter() {
  const asked: string[] = [];
  const countPieceTokens: CountPieceTokens = ({ bytes }, start, end) => {
    asked.push(new TextDecoder().decode(bytes.subarray(start, end)));
    return end - start;
  };
  return { asked, countPieceTokens };
}

function count(countPieceTokens: CountPieceTokens, text: string): number {
  const buffer = createTextBuffer(text.length);
  return countPieceTokens(buffer, 0, writeText(buffer, text));
}

test("counts a short piece once, whatever follows it in the text", () => {
  const { asked, countPieceTokens } = recordingCounter();
  const remembering = cachePieceCounts(countPieceTokens);
  const buffer = createTextBuffer(32);
  writeText(buffer, "the cat, the end");
  expect([remembering(buffer, 0, 3), remembering(buffer, 9, 12)]).toEqual([3, 3]);
  expect(asked).toEqual(["the"]);
});

test("never takes one piece for another", () => {
  const { asked, countPieceTokens } = recordingCounter();
  const remembering = cachePieceCounts(countPieceTokens);
  const zeros = Array.from({ length: 20 }, (_, length) => "\0".repeat(length + 1));
  const letters = Array.from({ length: 20 }, (_, length) => "abcdefghijklmnopqrst".slice(0, length + 1));
  const numbers = Array.from({ length: 50_000 }, (_, number) => String(number));
  for (const piece of [...zeros, ...letters, ...numbers]) expect(count(remembering, piece)).toBe(piece.length);
  expect(new Set(asked).size).toBe(asked.length);
});

test("leaves long pieces to the counter", () => {
  const { asked, countPieceTokens } = recordingCounter();
  const remembering = cachePieceCounts(countPieceTokens);
  const piece = "a".repeat(16);
  expect([count(remembering, piece), count(remembering, piece)]).toEqual([16, 16]);
  expect(asked).toEqual([piece, piece]);
});
