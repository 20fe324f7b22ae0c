import fc from "fast-check";
import { expect, test } from "vitest";
import { PROPERTY_RUNS } from "../../../test/support/property-runs.ts";
import type { CellState, Run, StrataRow } from "../api/strata-types.ts";
import { blockRows, cellText, columnText, firstRunFrom, priceText, runAt, speakerOf, withNow } from "./strata-cells.ts";

const ROW: StrataRow = {
  index: 4,
  id: "m4",
  role: "user",
  kind: "tool-result",
  toolName: "Read",
  tokens: 1_200,
  runs: [
    [2, 2, "sent"],
    [3, 9, "cached"],
    [12, 20, "hidden", "condense-12"],
  ],
};

const FOLDS = new Map([["condense-12", { foldId: "condense-12", kind: "condense", request: 12, cause: "pays" }]]);
const CONTEXT = { requests: 21, column: undefined, folds: FOLDS };

const STATES: readonly CellState[] = ["sent", "cached", "stand-in", "hidden", "restored"];
const anyRuns = fc
  .uniqueArray(fc.nat(200), { maxLength: 20 })
  .map((ends) => ends.toSorted((one, other) => one - other))
  .map((ends) =>
    Array.from({ length: Math.floor(ends.length / 2) }, (_, index): Run => {
      return [ends[index * 2] ?? 0, ends[index * 2 + 1] ?? 0, STATES[index % STATES.length] ?? "sent"];
    }),
  );

test("finds the run of a request as looking through all of them does", () => {
  fc.assert(
    fc.property(anyRuns, fc.nat(210), (runs, column) => {
      expect(runAt({ runs }, column)).toEqual(runs.find(([first, last]) => first <= column && column <= last));
      const from = runs.findIndex(([, last]) => last >= column);
      expect(firstRunFrom({ runs }, column)).toBe(from < 0 ? runs.length : from);
    }),
    PROPERTY_RUNS,
  );
});

test("tells a cell in words: the message, the request, the state and why", () => {
  expect(cellText(ROW, 3, CONTEXT)).toBe(
    "Message 5, tool, tool result, Read, 1,200 tokens: cached in request 4, read from the provider's cache, at a fraction of the price.",
  );
  expect(cellText(ROW, 12, CONTEXT)).toMatch(
    /: hidden in request 13, .* Folded by condense \(.*\), because it saves more than it costs\.$/,
  );
  expect(cellText(ROW, 10, CONTEXT)).toMatch(/: not part of request 11\.$/);
});

test("tells which block of a message a row is, and how many a message has", () => {
  const block = { kind: "text", tokens: 3, label: "Go on.", runs: [[2, 20, "sent"]], nowState: "sent" } as const;
  const [first, second] = blockRows({
    ...ROW,
    important: true,
    nowState: "hidden",
    blockCount: 2,
    blocks: [block, block],
  });
  expect(cellText(second ?? expect.fail(), 2, CONTEXT)).toMatch(
    /^Message 5, block 2 of 2, you, text, 3 tokens: sent in/,
  );
  expect(first).toMatchObject({ id: "m4", nowState: "sent" });
  expect(first).not.toHaveProperty("important");
  expect(cellText({ ...ROW, blockCount: 2 }, 2, CONTEXT)).toMatch(/^Message 5, tool, tool result, Read, 2 blocks, /);
});

test("the column right of the newest request shows what the next one would", () => {
  const row = withNow({ ...ROW, nowState: "hidden", nowFoldId: "condense-12" }, 21);
  expect(runAt(row, 21)).toEqual([21, 21, "hidden", "condense-12"]);
  expect(cellText(row, 21, CONTEXT)).toContain("hidden in the next request");
  expect(withNow(ROW, 21)).toBe(ROW);
});

test("the next request finds in the cache what the newest one showed, where the provider caches at all", () => {
  const shown: StrataRow = { ...ROW, runs: [[0, 20, "sent"]], nowState: "sent" };
  expect(runAt(withNow(shown, 21), 21)?.[2]).toBe("sent");
  const cached = withNow(shown, 21, true);
  expect(runAt(cached, 21)?.[2]).toBe("cached");
  expect(cellText(cached, 21, CONTEXT)).toMatch(
    /: cached in the next request, .*, if it comes while the cache is warm\.$/,
  );
  expect(runAt(withNow({ ...shown, runs: [] }, 21, true), 21)?.[2]).toBe("sent");
});

test.each(["hidden", "stand-in", "restored"] as const)(
  "the next request shows as brought back what is visible now, and was %s in the newest one",
  (state) => {
    const shown: StrataRow = { ...ROW, runs: [[0, 20, state]], nowState: "sent" };
    const row = withNow(shown, 21, true);
    expect([runAt(row, 21)?.[2], row.nowState]).toEqual(["restored", "restored"]);
    expect(cellText(row, 21, CONTEXT)).toContain(": brought back in the next request, hidden before, and sent again.");
  },
);

test("says who spoke: a tool's result travels as a user's message", () => {
  expect(speakerOf({ role: "user", kind: "text" })).toBe("you");
  expect(speakerOf({ role: "user", kind: "tool-result" })).toBe("tool");
  expect(speakerOf({ role: "assistant", kind: "tool-call" })).toBe("model");
  expect(speakerOf({ role: "user", kind: "summary", standIn: true })).toBe("Palimpsest");
});

test("tells a request with what was folded for it", () => {
  const column = {
    index: 12,
    at: 0,
    promptTokens: 18_000,
    cacheReadTokens: 9_000,
    foldIds: ["condense-12"],
    reason: "pays",
  };
  expect(columnText(column, [...FOLDS.values()])).toBe(
    "Request 13: 18,000 tokens, 9,000 of them from the cache. Folded before it: condense (a summary stands for messages), because it saves more than it costs.",
  );
  expect(columnText(column, [])).toBe("Request 13: 18,000 tokens, 9,000 of them from the cache.");
  expect(columnText(column, [{ foldId: "clear-1", cause: "hand" }])).toMatch(
    /fold that was undone since, because somebody asked/,
  );
});

test("tells a price with the cache and without, or that nobody knows it", () => {
  expect(priceText({ cachedUsd: 0.02, coldUsd: 0.2 })).toBe(
    "which then costs $0.0200 more if the provider's cache is warm, because everything after it is paid in full once, and $0.20 more if it is cold.",
  );
  expect(priceText({})).toBe("at a price that is not known.");
});
