import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { chat, condense, truncate } from "../../../test/support/messages.ts";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import type { Message } from "../message/message.ts";
import { applyPatch, compareLogs } from "./log-patch.ts";
import { restoreAllMessages, restoreMessages } from "./restore.ts";

function patchBetween(before: readonly Message[], after: readonly Message[]) {
  const patch = compareLogs(before, after)?.patch;
  if (patch === undefined) throw new Error("no patch");
  return patch;
}

describe("a patch", () => {
  const folded = condense(chat(6), "c1", ["m1", "m2"]);

  test("names what a fold changed and nothing else", () => {
    const { removed, changed, inserted } = patchBetween(chat(6), folded);
    expect(removed).toEqual([]);
    expect(inserted.map(({ index, message }) => [index, message.id])).toEqual([
      [folded.findIndex(({ id }) => id === "c1"), "c1"],
    ]);
    expect(changed.map(({ index, set }) => [index, set])).toEqual([
      [1, { condenseParent: "c1" }],
      [2, { condenseParent: "c1" }],
    ]);
  });

  test("brings a restored log back to what it was", () => {
    const restored = restoreMessages(folded, "c1");
    const patch = patchBetween(folded, restored);
    expect(patch.removed).toHaveLength(1);
    expect(JSON.stringify(applyPatch(folded, patch))).toBe(JSON.stringify(restored));
  });

  test("fits a log that has grown since", () => {
    const patch = patchBetween(chat(6), folded);
    const grown = [...chat(6), ...chat(2)];
    expect(applyPatch(grown, patch)).toEqual([...folded, ...chat(2)]);
  });

  test("is not made where a message is lost, added, or moved out of its order", () => {
    expect(compareLogs(chat(4), chat(3))).toBeUndefined();
    expect(compareLogs(chat(3), chat(4))).toBeUndefined();
  });

  test("does not fit another log", () => {
    const patch = patchBetween(chat(6), folded);
    expect(applyPatch(chat(2), patch)).toBeUndefined();
    expect(
      applyPatch([], { removed: [], changed: [], inserted: [{ index: 3, message: { role: "user", content: "x" } }] }),
    ).toBeUndefined();
  });

  test("applied, makes the log that it was made for, for any chain of folds", () => {
    const steps = fc.array(
      fc.record({
        kind: fc.constantFrom("condense", "truncate", "restore"),
        from: fc.nat(9),
        count: fc.integer({ min: 1, max: 4 }),
      }),
      { maxLength: 8 },
    );
    fc.assert(
      fc.property(steps, (plan) => {
        let log: readonly Message[] = chat(12);
        for (const [index, { kind, from, count }] of plan.entries()) {
          const ids = Array.from({ length: count }, (_, each) => `m${from + each}`);
          const next =
            kind === "restore"
              ? restoreAllMessages(log)
              : (kind === "condense" ? condense : truncate)(log, `fold-${index}`, ids);
          const patched = applyPatch(log, JSON.parse(JSON.stringify(patchBetween(log, next))));
          expect(JSON.stringify(patched)).toBe(JSON.stringify(next));
          log = next;
        }
      }),
      propertyRuns(100),
    );
  });
});
