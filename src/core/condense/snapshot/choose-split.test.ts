import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { buildTurns, conversationPlan, OPEN_CALL } from "../../../../test/properties/conversations.ts";
import { assistant, call, chat, log, result, tag, text, user } from "../../../../test/support/messages.ts";
import { PROPERTY_RUNS } from "../../../../test/support/property-runs.ts";
import type { Message } from "../../message/message.ts";
import { contentBlocks, detectPairs, isToolResult } from "../../message/tool-pairs.ts";
import { chooseSnapshotSplit } from "./choose-split.ts";
import { SNAPSHOT_ACKNOWLEDGEMENT } from "./snapshot-prompt.ts";

const FRACTION = 0.7;
const long = "x".repeat(1_000);

/** A call and its long result. */
function step(id: string): readonly Message[] {
  return [assistant(call(id)), user(result(id, long))];
}

const snapshot = tag(user(long), { isSummary: true, condenseId: "s" });
const acknowledgement = assistant(SNAPSHOT_ACKNOWLEDGEMENT);

interface Row {
  readonly behaviour: string;
  readonly view: readonly Message[];
  readonly expected: number;
}

function expectSplits(rows: readonly Row[]): void {
  test.each(rows)("$behaviour", ({ view, expected }) => {
    expect(chooseSnapshotSplit(log(...view), FRACTION)).toBe(expected);
  });
}

describe("between turns", () => {
  expectSplits([
    { behaviour: "splits talk before the user's message at the fraction", view: chat(10), expected: 8 },
    {
      behaviour: "measures characters: one long reply outweighs many short ones",
      view: [user("go"), assistant(long), user("a"), assistant("b"), user("c"), assistant("d")],
      expected: 2,
    },
    {
      behaviour: "passes over results",
      view: [user("go"), ...step("a"), ...step("b"), assistant("done"), user("next"), assistant("ok")],
      expected: 6,
    },
    {
      behaviour: "splits inside a tool loop that ends in a short prompt, so that more than the prompt is kept",
      view: [user("go"), ...step("a"), ...step("b"), ...step("c"), ...step("d"), user("next")],
      expected: 7,
    },
    {
      behaviour: "splits at the last prompt while its tool loop goes on, though it lies before the fraction",
      view: [user("go"), assistant(`${long}${long}`), user("next"), ...step("a"), ...step("b"), ...step("c")],
      expected: 2,
    },
    {
      behaviour: "splits inside the tool loop when the last prompt lies so early that little would go",
      view: [user("go"), assistant("hello"), user("next"), ...step("a"), ...step("b"), ...step("c"), ...step("d")],
      expected: 9,
    },
    {
      behaviour: "takes everything once the assistant has finished and no prompt lies late enough",
      view: [user("go"), ...step("a"), ...step("b"), assistant("done")],
      expected: 6,
    },
    {
      behaviour: "takes everything in spite of a call that was interrupted long ago",
      view: [user("go"), assistant(call("a")), user("stop"), assistant(long)],
      expected: 4,
    },
    {
      behaviour: "passes over a user's words between a call and its late result",
      view: [user("go"), assistant(text(long), call("a")), user("still there?"), user(result("a")), user("next")],
      expected: 4,
    },
  ]);
});

describe("inside a turn", () => {
  expectSplits([
    {
      behaviour: "splits one long tool loop between calls at the fraction",
      view: [user("go"), ...step("a"), ...step("b"), ...step("c"), ...step("d")],
      expected: 7,
    },
    {
      behaviour: "splits before the last step when the fraction lies within it",
      view: [user("go"), ...step("a"), assistant(call("b")), user(result("b", long.repeat(9)))],
      expected: 3,
    },
    {
      behaviour: "keeps parallel calls and their spread results together",
      view: [
        user("go"),
        ...step("a"),
        assistant(text(long), call("b"), call("c")),
        user(result("c", long)),
        user(result("b", long)),
      ],
      expected: 3,
    },
    {
      behaviour: "keeps a running call, with the reasoning in the message before it",
      view: [
        user("go"),
        ...step("a"),
        assistant({ type: "reasoning", text: long }),
        assistant(text(long), call("b"), call("c")),
        user(result("b", long)),
      ],
      expected: 3,
    },
    {
      behaviour: "keeps a running call even though the assistant spoke after it",
      view: [user("go"), ...step("a"), assistant(call("b")), assistant("calling")],
      expected: 3,
    },
    {
      behaviour: "never begins the kept part with a second result for one call",
      view: [user("go"), ...step("a"), user(result("a", "again")), ...step("b")],
      expected: 4,
    },
    {
      behaviour: "goes on after an earlier snapshot in place of rewriting it alone",
      view: [snapshot, acknowledgement, user("next"), ...step("a"), ...step("b"), ...step("c")],
      expected: 7,
    },
    {
      behaviour: "knows an acknowledgement by its words, whatever reasoning comes with it",
      view: [
        snapshot,
        assistant({ type: "reasoning", text: "" }, SNAPSHOT_ACKNOWLEDGEMENT),
        user("next"),
        ...step("a"),
      ],
      expected: 3,
    },
  ]);
});

describe("compresses nothing", () => {
  expectSplits([
    { behaviour: "out of nothing", view: [], expected: 0 },
    { behaviour: "out of a single prompt", view: [user("go")], expected: 0 },
    { behaviour: "out of a running call alone", view: [assistant(call("a"))], expected: 0 },
    { behaviour: "out of one unanswered turn", view: [assistant("so"), assistant(call("a"))], expected: 0 },
    { behaviour: "out of a snapshot with its acknowledgement", view: [snapshot, acknowledgement], expected: 0 },
    {
      behaviour: "out of a snapshot and the prompt after it",
      view: [snapshot, acknowledgement, user("next")],
      expected: 0,
    },
  ]);
});

test("refuses what is no log, and a fraction that is none", () => {
  expect(() => Reflect.apply(chooseSnapshotSplit, undefined, [null, FRACTION])).toThrow(/messages is null/);
  for (const fraction of [0, 1, Number.NaN]) expect(() => chooseSnapshotSplit([], fraction)).toThrow(/fraction is/);
});

describe("for any conversation and any fraction", () => {
  const ending = fc.constantFrom<readonly Message[]>([], [OPEN_CALL], [OPEN_CALL, user("meanwhile")]);
  const fractions = fc.double({ min: 0.01, max: 0.99, noNaN: true });

  test("pairs stay whole on both sides, and a running call is kept", () => {
    fc.assert(
      fc.property(conversationPlan, ending, fractions, (plan, end, fraction) => {
        const view = [...buildTurns(plan), ...end];
        const split = chooseSnapshotSplit(view, fraction);
        for (const { call: use, result: answer } of detectPairs(view)) {
          const isKept = use.messageIndex >= split;
          expect(isKept).toBe(answer === undefined ? true : answer.messageIndex >= split);
        }
        expect(contentBlocks(view[split]?.content ?? "").some(isToolResult)).toBe(false);
      }),
      PROPERTY_RUNS,
    );
  });

  test("something can be compressed as soon as there is a second turn, and all of it only when nothing is pending", () => {
    fc.assert(
      fc.property(conversationPlan, ending, fractions, (plan, end, fraction) => {
        const view = [...buildTurns(plan), ...end];
        const split = chooseSnapshotSplit(view, fraction);
        expect(split > 0).toBe(view.length > 1);
        if (split === view.length) expect(view.at(-1)?.role).toBe("assistant");
      }),
      PROPERTY_RUNS,
    );
  });
});

// Anything that looks at all messages for each message would run for minutes.
test("splits a tool loop of 200,000 messages", () => {
  const loop = Array.from({ length: 100_000 }, (_, index) => step(`t${index}`)).flat();
  const split = chooseSnapshotSplit([user("go"), ...loop], FRACTION);
  expect(split % 2).toBe(1);
  expect(split / loop.length).toBeCloseTo(FRACTION, 2);
});
