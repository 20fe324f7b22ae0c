import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PROPERTY_RUNS } from "../../../test/support/property-runs.ts";
import type { SessionSize } from "../ports/store-maintenance.ts";
import { assertRetention, planRetention, SETTLED_MS } from "./plan-retention.ts";

const HOUR = 60 * 60 * 1_000;

function session(key: number, idleMs: number, fields: Partial<SessionSize> = {}): SessionSize {
  return { key, id: `s${key}`, version: 1, idleMs, bytes: 10, isPinned: false, ...fields };
}

const keysOf = (sessions: readonly SessionSize[]) => sessions.map(({ key }) => key);

describe("planRetention", () => {
  test("removes what is older than the time to keep, the oldest first", () => {
    const { removable, reasons } = planRetention([session(1, 5 * HOUR), session(2, 9 * HOUR), session(3, 20 * HOUR)], {
      keepMs: 6 * HOUR,
    });
    expect(keysOf(removable)).toEqual([3, 2]);
    expect([...reasons]).toEqual([
      [3, "age"],
      [2, "age"],
    ]);
  });

  test("removes the oldest until what is left is small enough, and counts pinned ones as kept", () => {
    const sessions = [session(1, 2 * HOUR), session(2, 3 * HOUR), session(3, 4 * HOUR, { isPinned: true })];
    const { removable, reasons } = planRetention(sessions, { keepBytes: 20 });
    expect([keysOf(removable), reasons.get(2)]).toEqual([[2], "size"]);
    expect(keysOf(planRetention(sessions, { keepBytes: 10 }).removable)).toEqual([2, 1]);
    expect(keysOf(planRetention(sessions, { keepBytes: 30 }).removable)).toEqual([]);
  });

  test("a limit of size leaves what was written to within the hour", () => {
    const sessions = [session(1, SETTLED_MS), session(2, SETTLED_MS + 1)];
    expect(keysOf(planRetention(sessions, { keepBytes: 1 }).removable)).toEqual([2]);
  });

  test("never removes a pinned session, and no session that is newer than one it keeps unpinned", () => {
    const sessions = fc.uniqueArray(
      fc.record({
        key: fc.integer({ min: 1, max: 1_000 }),
        idleMs: fc.integer({ min: 0, max: 400 * HOUR }),
        bytes: fc.integer({ min: 0, max: 1_000 }),
        isPinned: fc.boolean(),
      }),
      { selector: ({ key }) => key, maxLength: 30 },
    );
    const retention = fc.record({
      keepMs: fc.option(fc.integer({ min: HOUR, max: 400 * HOUR }), { nil: undefined }),
      keepBytes: fc.option(fc.integer({ min: 1, max: 9_000 }), { nil: undefined }),
    });
    fc.assert(
      fc.property(sessions, retention, (given, kept) => {
        const all = given.map(({ key, idleMs, ...rest }) => session(key, idleMs, rest));
        const removed = new Set(keysOf(planRetention(all, kept).removable));
        const stay = all.filter(({ key }) => !removed.has(key));
        for (const { key, isPinned } of all) if (isPinned) expect(removed.has(key)).toBe(false);
        const oldestKept = Math.max(0, ...stay.filter(({ isPinned }) => !isPinned).map(({ idleMs }) => idleMs));
        for (const { key, idleMs } of all) if (removed.has(key)) expect(idleMs).toBeGreaterThanOrEqual(oldestKept);
        const bytes = stay.reduce((sum, each) => sum + each.bytes, 0);
        const isFree = stay.some(({ isPinned, idleMs }) => !isPinned && idleMs > SETTLED_MS);
        if (kept.keepBytes !== undefined && isFree) expect(bytes).toBeLessThanOrEqual(kept.keepBytes);
      }),
      PROPERTY_RUNS,
    );
  });
});

test.each<[unknown, RegExp]>([
  [undefined, /retention is undefined; it must be an object/],
  [{}, /keepMs.*keepBytes/],
  [{ keepMs: Number.NaN }, /retention\.keepMs is NaN/],
  [{ keepMs: 5 }, /retention\.keepMs is 5; it must be a number of at least 3600000/],
  [{ keepBytes: 0 }, /retention\.keepBytes is 0/],
  [{ keepBytes: "1GB" }, /retention\.keepBytes is "1GB"/],
])("refuses the retention %j", (retention, expected) => {
  expect(() => Reflect.apply(assertRetention, undefined, ["retention", retention])).toThrow(expected);
});
