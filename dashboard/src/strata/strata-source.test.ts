import { expect, test, vi } from "vitest";
import { syntheticStrata, type Window } from "../../../bench/perf/dashboard/synthetic-session.ts";
import type { Strata } from "../api/strata-types.ts";
import { runAt } from "../model/strata-cells.ts";
import { createStrataSource, type LoadTile } from "./strata-source.ts";

function follow(size = { messages: 100_000, requests: 5_000 }) {
  const asked: (Window & { readonly expand: readonly number[] })[] = [];
  let current = size;
  const onChange = vi.fn();
  const load: LoadTile = async (window) => {
    asked.push(window);
    // As it comes over the wire.
    return JSON.parse(JSON.stringify(syntheticStrata(current, window)));
  };
  const grow = (next: typeof size) => {
    current = next;
  };
  return { source: createStrataSource(load, onChange), asked, onChange, grow };
}

const FAR = { firstRow: 50_100, endRow: 50_130, firstColumn: 2_400, endColumn: 2_470 };

test("asks for what shows, once", async () => {
  const { source, asked } = follow();
  source.show(FAR);
  source.show(FAR);
  await vi.waitFor(() => expect(source.row(50_110, 2_450)?.id).toBe("m50110"));
  expect(asked).toEqual([{ fromMessage: 50_000, toMessage: 50_250, fromRequest: 2_000, toRequest: 3_000, expand: [] }]);
  expect(source.totals()).toEqual({ rows: 100_000, columns: 5_001 });
  expect(source.column(2_440)?.foldIds).toEqual(["condense-2440"]);
  expect(source.folds().get("condense-2440")).toMatchObject({ kind: "condense", cause: "pays" });
  expect(source.row(90_000, 2_450)).toBeUndefined();
});

test("after a change asks again for what shows, and keeps showing the old until then", async () => {
  const { source, asked, grow } = follow({ messages: 40, requests: 10 });
  const range = { firstRow: 0, endRow: 40, firstColumn: 0, endColumn: 11 };
  source.show(range);
  await vi.waitFor(() => expect(source.requests()).toBe(10));
  grow({ messages: 44, requests: 11 });
  const refreshed = source.refresh();
  expect(source.row(3, 0)?.id).toBe("m3");
  await refreshed;
  expect([source.totals(), asked.length]).toEqual([{ rows: 44, columns: 12 }, 2]);
  expect(runAt(source.row(43, 11) ?? { runs: [] }, 11)?.[2]).toBe("cached");
});

test("shows the blocks of a message as rows below it, and no longer", async () => {
  const block = { kind: "text", tokens: 4, label: "a text", runs: [[0, 1, "sent"]], nowState: "sent" } as const;
  const stub = {
    ...block,
    kind: "tool-result",
    runs: [
      [0, 0, "sent"],
      [1, 1, "stand-in", "clear-1"],
    ],
    nowState: "stand-in",
  } as const;
  const asked: (readonly number[])[] = [];
  const source = createStrataSource(async ({ expand, ...window }) => {
    asked.push(expand);
    const strata: Strata = JSON.parse(JSON.stringify(syntheticStrata({ messages: 9, requests: 2 }, window)));
    const rows = strata.messages.rows.map((row) => {
      if (row.index !== 3) return row;
      return { ...row, blockCount: 2, ...(expand.includes(3) ? { blocks: [block, stub] } : {}) };
    });
    return { ...strata, messages: { ...strata.messages, rows } };
  }, vi.fn());
  source.show({ firstRow: 0, endRow: 9, firstColumn: 0, endColumn: 3 });
  await vi.waitFor(() => expect(source.row(3, 0)?.blockCount).toBe(2));
  expect([source.expand(3, true), source.totals().rows, source.rowOf(4)]).toEqual([3, 11, 6]);
  await vi.waitFor(() => expect(source.row(5, 0)).toMatchObject({ index: 3, id: "m3", block: 1, kind: "tool-result" }));
  expect([1, 2].map((column) => runAt(source.row(5, column) ?? expect.fail(), column)?.[2])).toEqual([
    "stand-in",
    "stand-in",
  ]);
  expect([source.row(4, 0)?.block, source.row(6, 0)?.index, source.isExpanded(3)]).toEqual([0, 4, true]);
  // From a block of it as well.
  expect([source.expand(5, false), source.totals().rows, source.row(4, 0)?.index]).toEqual([3, 9, 4]);
  expect(asked).toEqual([[], [3]]);
  // What has one block alone has none to show.
  expect([source.expand(5, true), source.totals().rows]).toEqual([5, 9]);
});

test("holds a bounded part, however far somebody scrolls", async () => {
  const { source, asked } = follow();
  for (let row = 0; row < 100; row++) {
    source.show({ firstRow: row * 250, endRow: row * 250 + 30, firstColumn: 0, endColumn: 70 });
    await vi.waitFor(() => expect(source.row(row * 250, 0)).toBeDefined(), { interval: 1 });
  }
  expect(asked).toHaveLength(100);
  expect(source.row(0, 0)).toBeUndefined();
  expect(source.row(99 * 250, 0)).toBeDefined();
});

test("tells why nothing could be loaded, and tries again when it is asked to", async () => {
  let isBroken = true;
  const onChange = vi.fn();
  const source = createStrataSource(async (window) => {
    if (isBroken) throw new Error("The gateway is gone.");
    return JSON.parse(JSON.stringify(syntheticStrata({ messages: 4, requests: 2 }, window)));
  }, onChange);
  await source.refresh();
  expect(onChange).toHaveBeenCalledExactlyOnceWith(new Error("The gateway is gone."));
  isBroken = false;
  await source.refresh();
  expect(source.totals().rows).toBe(4);
});

test("a part that cannot be loaded is asked for again after a while, not at once, and right away when something changed", async () => {
  vi.useFakeTimers();
  try {
    let asked = 0;
    const errors: unknown[] = [];
    const source = createStrataSource(
      async () => {
        asked += 1;
        throw new Error("the store is gone");
      },
      // As the page does: whatever happened, what shows is drawn again, and asked for where it is missing.
      (error) => {
        errors.push(error);
        source.show(FAR);
      },
    );
    source.show(FAR);
    await vi.advanceTimersByTimeAsync(1_000);
    expect([asked, errors]).toEqual([1, [new Error("the store is gone")]]);
    await vi.advanceTimersByTimeAsync(1_500);
    expect(asked).toBe(2);
    await source.refresh();
    expect(asked).toBe(3);
  } finally {
    vi.useRealTimers();
  }
});
