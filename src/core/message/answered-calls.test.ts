import { describe, expect, test } from "vitest";
import { assistant, call, result, user } from "../../../test/support/messages.ts";
import { answeredCalls } from "./answered-calls.ts";
import { SEGMENT_MESSAGES } from "./log-segments.ts";
import type { Message } from "./message.ts";
import { isToolResult } from "./tool-pairs.ts";

const RESULTS = SEGMENT_MESSAGES;

/** Calls and their results in turns, with as many results as a segment has messages: the last segment is not full. */
const log: readonly Message[] = [
  user("Begin."),
  ...Array.from({ length: RESULTS }, (_, at) => [
    assistant(call(`c${at}`, "Read", { path: `${at}.ts` })),
    user(result(`c${at}`, `line of ${at}`)),
  ]).flat(),
];

function callIds(isRead: (message: Message) => boolean): readonly (string | undefined)[] {
  const callOf = answeredCalls(isRead).of(log);
  return log.flatMap(({ content }, at) => {
    const [first] = typeof content === "string" ? [] : content;
    if (first === undefined || !isToolResult(first)) return [];
    const place = { place: at % SEGMENT_MESSAGES, blockIndex: 0 };
    return [callOf(Math.floor(at / SEGMENT_MESSAGES), place, first)?.id];
  });
}

describe("the calls that results answer", () => {
  test("are found in the segment of the result and in the one before", () => {
    expect(callIds(() => true)).toEqual(Array.from({ length: RESULTS }, (_, at) => `c${at}`));
  });

  test("are searched for once in each segment, also while messages may still change", () => {
    let reads = 0;
    callIds(() => {
      reads += 1;
      return true;
    });
    // Once for the calls that are answered in a segment, and once for those that a later segment may answer.
    expect(reads).toBeLessThanOrEqual(2 * log.length);
  });
});
