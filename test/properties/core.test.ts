/** What always holds (docs/architecture.md), over random conversations and random sequences of operations. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { listFolds } from "../../src/core/history/list-folds.ts";
import { restoreAllMessages, restoreMessages } from "../../src/core/history/restore.ts";
import { trackView } from "../../src/core/history/track-view.ts";
import { effectiveView } from "../../src/core/message/effective-view.ts";
import type { Message } from "../../src/core/message/message.ts";
import { validateView } from "../../src/core/message/validate-view.ts";
import { PROPERTY_RUNS } from "../support/property-runs.ts";
import { buildTurns, conversationPlan, OPEN_CALL } from "./conversations.ts";
import {
  countCharacters,
  fold,
  folding,
  operation,
  perform,
  performAll,
  startWorld,
  type World,
} from "./operations.ts";

const operations = fc.array(operation, { maxLength: 12, size: "max" });

describe("after any operations on any conversation", () => {
  test("removing every fold gives the original messages byte for byte", () => {
    fc.assert(
      fc.property(conversationPlan, operations, (plan, steps) => {
        const { log, original } = performAll(plan, steps);
        expect(JSON.stringify(restoreAllMessages(log))).toBe(JSON.stringify(original));
      }),
      PROPERTY_RUNS,
    );
  });

  test("restoring the folds one by one, in any order, gives the original messages byte for byte", () => {
    fc.assert(
      fc.property(conversationPlan, operations, fc.infiniteStream(fc.nat()), (plan, steps, picks) => {
        const { log, original } = performAll(plan, steps);
        let restored = log;
        for (const pick of picks) {
          const folds = listFolds(restored);
          const fold = folds[pick % Math.max(1, folds.length)];
          if (fold === undefined) break;
          restored = restoreMessages(restored, fold.foldId);
          expect(problemsOf(restored)).toEqual([]);
        }
        expect(JSON.stringify(restored)).toBe(JSON.stringify(original));
      }),
      PROPERTY_RUNS,
    );
  });

  test("restoring the folds of one list, in its order, gives the original messages byte for byte", () => {
    fc.assert(
      fc.property(conversationPlan, operations, (plan, steps) => {
        const { log, original } = performAll(plan, steps);
        let restored = log;
        for (const { foldId } of listFolds(log)) restored = restoreMessages(restored, foldId);
        expect(JSON.stringify(restored)).toBe(JSON.stringify(original));
      }),
      PROPERTY_RUNS,
    );
  });

  test("every view on the way is one that a provider accepts", () => {
    fc.assert(
      fc.property(conversationPlan, operations, (plan, steps) => {
        let world = startWorld(plan);
        for (const step of steps) {
          world = perform(world, step);
          expect(problemsOf(world.log)).toEqual([]);
        }
      }),
      PROPERTY_RUNS,
    );
  });

  test("a call that is still running keeps its place at the end of the view", () => {
    fc.assert(
      fc.property(conversationPlan, operations, (plan, steps) => {
        const started = startWorld(plan);
        let world: World = {
          ...started,
          log: [...started.log, OPEN_CALL],
          original: [...started.original, OPEN_CALL],
        };
        for (const step of steps.filter((each) => each.type !== "append")) {
          world = perform(world, step);
          const view = effectiveView(world.log);
          expect(view.at(-1)?.id).toBe(OPEN_CALL.id);
          expect(validateView(view).map((problem) => problem.code)).toEqual(["missing-result"]);
        }
      }),
      PROPERTY_RUNS,
    );
  });

  test("the same operations give the same bytes", () => {
    fc.assert(
      fc.property(conversationPlan, operations, (plan, steps) => {
        const copy = performAll(structuredClone(plan), steps);
        expect(JSON.stringify(copy.log)).toBe(JSON.stringify(performAll(plan, steps).log));
      }),
      PROPERTY_RUNS,
    );
  });

  test("the view stays the same bytes when messages are appended, and after a restart", () => {
    fc.assert(
      fc.property(conversationPlan, operations, conversationPlan, (plan, steps, later) => {
        const { log, turns } = performAll(plan, steps);
        const view = effectiveView(log).map((message) => JSON.stringify(message));
        const grown = effectiveView([...log, ...buildTurns(later, turns)]);
        expect(grown.slice(0, view.length).map((message) => JSON.stringify(message))).toEqual(view);
        const reloaded: readonly Message[] = JSON.parse(JSON.stringify(log));
        expect(effectiveView(reloaded).map((message) => JSON.stringify(message))).toEqual(view);
      }),
      PROPERTY_RUNS,
    );
  });

  test("an operation that hides nothing changes no byte of the view, and one that hides something says so", () => {
    let still = 0;
    fc.assert(
      fc.property(conversationPlan, operations, folding, (plan, steps, last) => {
        const { log } = performAll(plan, steps);
        const tracker = trackView(log, countCharacters);
        const [view, bytes, tokens] = [tracker.view(), JSON.stringify(tracker.view()), tracker.tokens()];
        const folded = fold(log, last);
        tracker.replace(folded.messages);
        if (folded.foldIds.length > 0) {
          expect(listFolds(folded.messages).map(({ foldId }) => foldId)).toEqual(
            expect.arrayContaining([...folded.foldIds]),
          );
          expect(JSON.stringify(tracker.view())).not.toBe(bytes);
          return;
        }
        still++;
        expect(folded.messages).toBe(log);
        expect(tracker.view().every((message, index) => message === view[index])).toBe(true);
        expect(JSON.stringify(tracker.view())).toBe(bytes);
        expect(tracker.tokens()).toBe(tokens);
      }),
      PROPERTY_RUNS,
    );
    expect(still).toBeGreaterThan(PROPERTY_RUNS.numRuns / 10);
  });
});

function problemsOf(log: readonly Message[]) {
  return validateView(effectiveView(log));
}
