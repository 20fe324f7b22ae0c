import { describe, expect, test } from "vitest";
import { assistant, chat, user } from "../../../test/support/messages.ts";
import type { Message } from "../message/message.ts";
import { countMessagesTokens } from "../tokens/count-messages.ts";
import { callStarts, findBoundaries } from "./find-boundaries.ts";

function session(messages: readonly Message[], compactions: readonly number[] = []) {
  return { name: "s", messages, compactions: compactions.map((messageIndex) => ({ messageIndex })) };
}

describe("finding boundaries", () => {
  test("takes fixed shares of the model calls, with the next 40 calls as horizon", () => {
    const messages = chat(200);
    const boundaries = findBoundaries(session(messages));
    expect(boundaries.map(({ index }) => index)).toEqual([61, 101, 141, 181]);
    expect(boundaries.map(({ horizonEnd }) => horizonEnd)).toEqual([141, 181, 200, 200]);
    expect(boundaries[0]?.tokens).toBe(countMessagesTokens(messages.slice(0, 61)));
  });

  test("takes other shares where they are given", () => {
    expect(findBoundaries(session(chat(200)), [0.25, 0.6]).map(({ index }) => index)).toEqual([51, 121]);
  });

  test("leaves out boundaries with fewer than ten calls ahead", () => {
    expect(findBoundaries(session(chat(40))).map(({ index }) => index)).toEqual([13, 21]);
    expect(findBoundaries(session(chat(18)))).toEqual([]);
  });

  test("ends the horizon before the agent's own compaction", () => {
    const boundaries = findBoundaries(session(chat(200), [100, 190]));
    expect(boundaries).toMatchObject([
      { index: 61, horizonEnd: 100 },
      { index: 101, horizonEnd: 181 },
      { index: 141, horizonEnd: 190 },
    ]);
  });

  test("counts replies in a row as one model call", () => {
    const messages = [user("a"), assistant("b"), assistant("c"), user("d"), assistant("e")];
    expect(callStarts(messages)).toEqual([1, 4]);
  });

  test("finds none in a session without a reply, or without a word", () => {
    expect(findBoundaries(session([]))).toEqual([]);
    expect(findBoundaries(session(Array.from({ length: 60 }, () => user("hello"))))).toEqual([]);
  });
});
