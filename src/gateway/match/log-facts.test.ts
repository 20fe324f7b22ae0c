import fc from "fast-check";
import { expect, test } from "vitest";
import { logMessage } from "../../../test/support/log-messages.ts";
import { PROPERTY_RUNS } from "../../../test/support/property-runs.ts";
import { listFolds } from "../../core/history/list-folds.ts";
import { effectiveView, isStandIn } from "../../core/message/effective-view.ts";
import type { Message } from "../../core/message/message.ts";
import { countMessagesTokens } from "../../core/tokens/count-messages.ts";
import { countGrowing, factsOf } from "./log-facts.ts";
import { wireView } from "./wire-view.ts";

/** What a message of a log may be, and the steps in which a log grows. */
const kinds = fc.constantFrom("said", "condensed", "truncated", "folded", "summary", "marker", "account");
const growth = fc.array(fc.array(kinds, { maxLength: 4 }), { minLength: 1, maxLength: 6 });

/** The same log as objects that nobody has seen. */
const unseen = (log: readonly Message[]) => log.map((message) => ({ ...message }));

test("tells of a log that grew what it tells of one that it never saw", () => {
  fc.assert(
    fc.property(growth, (steps) => {
      let log: readonly Message[] = [];
      for (const step of steps) {
        log = Object.freeze([...log, ...step.map((kind, index) => logMessage(kind, log.length + index))]);
        const said = log.filter((message) => !isStandIn(message));
        expect(factsOf(log)).toEqual(factsOf(unseen(log)));
        expect(factsOf(log).said.messages).toEqual(said);
        expect(factsOf(log).foldCount).toBe(listFolds(log).length);
        expect(countGrowing(log)).toBe(countMessagesTokens(unseen(log)));
        const anew = unseen(log);
        const [grown, fresh] = [log, anew].map((each) =>
          wireView({ log: each, view: effectiveView(each) }, said.length),
        );
        expect(grown).toEqual(fresh);
      }
    }),
    PROPERTY_RUNS,
  );
});

test("looks again at a log that was folded in the middle", () => {
  const first = logMessage("said", 0);
  const log = [first, logMessage("said", 1)];
  expect(factsOf(log).isFolded).toBe(false);
  const folded = [first, logMessage("folded", 1), logMessage("said", 2)];
  expect(factsOf(folded)).toMatchObject({ isFolded: true, isWritten: true, foldCount: 1 });
});
