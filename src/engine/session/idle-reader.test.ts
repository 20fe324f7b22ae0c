import { describe, expect, test } from "vitest";
import type { Message } from "../../core/message/message.ts";
import { createIdleReader, type IdleReaderLimits } from "./idle-reader.ts";

const LIMITS: IdleReaderLimits = {
  sessions: 3,
  messageTokens: 50,
  sessionTokens: 100,
  waitingTokens: 250,
  rememberedTokens: 1_000,
  sliceTokens: 20,
};

/** A reader whose idle moments come when the test says so. */
function reader(limits: Partial<IdleReaderLimits> = {}) {
  const read: string[] = [];
  const forgotten: string[] = [];
  const scheduled: (() => void)[] = [];
  const idle = createIdleReader({
    limits: { ...LIMITS, ...limits },
    read: ({ id = "" }) => read.push(id),
    forget: ({ id = "" }) => forgotten.push(id),
    schedule: (run) => scheduled.push(run),
  });
  const runOnce = () => scheduled.shift()?.();
  const runAll = () => {
    let slices = 0;
    for (; scheduled.length > 0; slices += 1) runOnce();
    return slices;
  };
  return { idle, read, forgotten, scheduled, runOnce, runAll };
}

const message = (id: string): Message => ({ id, role: "user", content: id, ts: 0 });

describe("an idle reader", () => {
  test("reads a slice, then lets others have their turn", () => {
    const { idle, read, scheduled, runOnce, runAll } = reader();
    const session = {};
    for (const id of ["a", "b", "c", "d", "e"]) idle.add(session, message(id), 10);
    expect(scheduled).toHaveLength(1);
    runOnce();
    expect(read).toEqual(["a", "b"]);
    expect(scheduled).toHaveLength(1);
    expect(runAll()).toBe(2);
    expect(read).toEqual(["a", "b", "c", "d", "e"]);
  });

  test("after a load of 200 sessions has no more to do than its limit", () => {
    const { idle, read, runAll } = reader();
    for (let session = 0; session < 200; session += 1) {
      const owner = {};
      for (let index = 0; index < 10; index += 1) idle.add(owner, message(`${session}-${index}`), 10);
    }
    expect(runAll()).toBeLessThanOrEqual(LIMITS.waitingTokens / LIMITS.sliceTokens + 1);
    expect(read.length * 10).toBeLessThanOrEqual(LIMITS.waitingTokens);
    expect(new Set(read.map((id) => id.split("-")[0]))).toEqual(new Set(["198", "199"]));
  });

  test("keeps no more sessions waiting than its limit", () => {
    const { idle, read, runAll } = reader();
    for (let session = 0; session < 20; session += 1) idle.add({}, message(`${session}`), 1);
    runAll();
    expect(read).toEqual(["17", "18", "19"]);
  });

  test("reads the newest messages of a session that has too many, and none that is too large", () => {
    const { idle, read, runAll } = reader();
    const session = {};
    for (let index = 0; index < 15; index += 1) idle.add(session, message(`${index}`), 10);
    idle.add(session, message("large"), 51);
    runAll();
    expect(read).toEqual(Array.from({ length: 10 }, (_, index) => `${index + 5}`));
  });

  test("does nothing for a session that was dropped, and forgets what it read of it", () => {
    const { idle, read, forgotten, runOnce, runAll } = reader();
    const session = {};
    for (const id of ["a", "b", "c"]) idle.add(session, message(id), 10);
    runOnce();
    idle.drop(session);
    expect(runAll()).toBe(1);
    expect(read).toEqual(["a", "b"]);
    expect(forgotten).toEqual(["a", "b"]);
  });

  test("forgets the sessions that were active longest ago when it remembers too much", () => {
    const { idle, forgotten, runAll } = reader({ rememberedTokens: 40 });
    const [first, second] = [{}, {}];
    idle.add(first, message("first"), 30);
    runAll();
    expect(forgotten).toEqual([]);
    idle.add(second, message("second"), 30);
    runAll();
    expect(forgotten).toEqual(["first"]);
  });
});
