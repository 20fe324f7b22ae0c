import { describe, expect, test } from "vitest";
import { unmetFaults } from "../../../test/support/faults.ts";
import type {
  CondensationFailure,
  CondensationStart,
  CondensationSuccess,
  FallbackToTruncation,
  Telemetry,
} from "../../core/ports/telemetry.ts";
import { createMonitor, type MonitorOptions } from "./monitor.ts";

const start: CondensationStart = { taskId: "task", strategy: "summary", trigger: "auto", prevContextTokens: 80_000 };
const success: CondensationSuccess = {
  ...start,
  condenseId: "c1",
  newContextTokens: 20_000,
  messagesHidden: 40,
  costUsd: 0.02,
  durationMs: 3_000,
  scores: { tokens: 0.75 },
};
const failure: CondensationFailure = { ...start, error: "condensing failed", costUsd: 0.01, durationMs: 500 };
const fallback: FallbackToTruncation = { taskId: "task", prevContextTokens: 80_000, error: "condensing failed" };

/** A monitor whose clock goes on by one at each look. */
function monitorOf(options: Partial<MonitorOptions> = {}) {
  let time = 0;
  return createMonitor({
    telemetry: [],
    now() {
      time += 1;
      return time;
    },
    ...options,
  });
}

function recorder(): Telemetry & { readonly heard: readonly unknown[] } {
  const heard: unknown[] = [];
  const hear = (name: string) => (event: object) => {
    heard.push([name, event]);
  };
  return {
    heard,
    onCondensationStart: hear("start"),
    onCondensationSuccess: hear("success"),
    onCondensationFailure: hear("failure"),
    onFallbackToTruncation: hear("fallback"),
  };
}

function fail(): never {
  throw new Error("out of order");
}

describe("telemetry", () => {
  test("hears of every event, each of several", () => {
    const telemetry = [recorder(), {}, recorder()];
    const monitor = monitorOf({ telemetry });
    monitor.started(start);
    monitor.succeeded(success);
    monitor.failed(failure);
    monitor.fellBack(fallback);
    const all = [
      ["start", start],
      ["success", success],
      ["failure", failure],
      ["fallback", fallback],
    ];
    expect(telemetry.map((told) => ("heard" in told ? told.heard : undefined))).toEqual([all, undefined, all]);
  });

  test("that throws does not keep others from hearing, and is a fault", () => {
    const sound = recorder();
    const monitor = monitorOf({ telemetry: [{ onCondensationSuccess: fail }, sound] });
    monitor.succeeded(success);
    expect(sound.heard).toHaveLength(1);
    expect(monitor.getMetrics()).toMatchObject({ condensations: 1, faults: 1 });
    expect(monitor.getHistory().at(-1)).toEqual({
      type: "fault",
      at: 2,
      plugin: "telemetry",
      error: "onCondensationSuccess: out of order",
    });
  });

  test("that rejects later is a fault too", async () => {
    const monitor = monitorOf({ telemetry: [{ onCondensationStart: async () => fail() }] });
    monitor.started(start);
    await new Promise((resolve) => setImmediate(resolve));
    expect(monitor.getHistory()).toEqual([
      { type: "fault", at: 1, plugin: "telemetry", error: "onCondensationStart: out of order" },
    ]);
  });

  test("that changes an event does not change the history", () => {
    const meddler: Telemetry = {
      onCondensationSuccess: (event) => void Object.assign(event.scores, { tokens: 1 }),
    };
    const monitor = monitorOf({ telemetry: [meddler] });
    monitor.succeeded({ ...success, scores: { tokens: 0.75 } });
    expect(monitor.getHistory()).toMatchObject([{ scores: { tokens: 0.75 } }]);
  });
});

describe("the metrics", () => {
  test("are zero before anything happened", () => {
    expect(monitorOf().getMetrics()).toEqual({
      condensations: 0,
      failures: 0,
      fallbacks: 0,
      faults: 0,
      tokensSaved: 0,
      costUsd: 0,
      averageReductionPercent: 0,
      averageDurationMs: 0,
      lastCondensationAt: undefined,
    });
  });

  test("sum up what happened, the cost of failures included", () => {
    const monitor = monitorOf();
    monitor.started(start);
    monitor.succeeded(success);
    monitor.succeeded({ ...success, newContextTokens: 40_000, durationMs: 1_000 });
    monitor.failed(failure);
    monitor.fellBack(fallback);
    monitor.fault({ plugin: "bad", error: "shouldActivate: out of order" });
    const { costUsd, ...metrics } = monitor.getMetrics();
    expect(costUsd).toBeCloseTo(0.05, 10);
    expect(metrics).toEqual({
      condensations: 2,
      failures: 1,
      fallbacks: 1,
      faults: 1,
      tokensSaved: 100_000,
      averageReductionPercent: 62.5,
      averageDurationMs: 2_000,
      lastCondensationAt: 2,
    });
  });

  test("that were read stay as they were", () => {
    const monitor = monitorOf();
    const before = monitor.getMetrics();
    monitor.succeeded(success);
    expect(before.condensations).toBe(0);
    expect(Reflect.set(monitor.getMetrics(), "condensations", 99)).toBe(false);
    expect(monitor.getMetrics().condensations).toBe(1);
  });

  test("are not spoiled by what is no number", () => {
    const monitor = monitorOf();
    monitor.succeeded({ ...success, costUsd: Number.NaN, newContextTokens: Number.NaN, durationMs: Number.NaN });
    monitor.succeeded({ ...success, prevContextTokens: 0, newContextTokens: 0 });
    monitor.failed({ ...failure, costUsd: Number.POSITIVE_INFINITY });
    monitor.succeeded(success);
    expect(monitor.getMetrics()).toMatchObject({
      condensations: 3,
      tokensSaved: 60_000,
      costUsd: 0.04,
      averageReductionPercent: 25,
      averageDurationMs: 2_000,
    });
  });
});

describe("the history", () => {
  test("holds what came of things, oldest first, with the time", () => {
    const monitor = monitorOf();
    monitor.started(start);
    monitor.failed(failure);
    monitor.fellBack(fallback);
    monitor.succeeded(success);
    monitor.fault({ plugin: "bad", error: "threw" });
    expect(monitor.getHistory()).toEqual([
      { type: "failure", at: 1, ...failure },
      { type: "fallback", at: 2, ...fallback },
      { type: "success", at: 3, ...success },
      { type: "fault", at: 4, plugin: "bad", error: "threw" },
    ]);
  });

  test.each([
    [undefined, 1_000],
    [3, 3],
    [0, 0],
  ])("keeps the newest entries: with a limit of %o, %d of 1,005", (keepEntries, kept) => {
    const monitor = monitorOf(keepEntries === undefined ? {} : { keepEntries });
    for (let count = 0; count < 1_005; count += 1) monitor.fellBack(fallback);
    expect(monitor.getHistory().map(({ at }) => at)).toEqual(Array.from({ length: kept }, (_, i) => 1_006 - kept + i));
    expect(monitor.getMetrics().fallbacks).toBe(1_005);
  });

  test("is not affected by changes to what was read from it", () => {
    const monitor = monitorOf();
    monitor.succeeded(success);
    const read = monitor.getHistory();
    if (Array.isArray(read)) read.pop();
    const [entry] = monitor.getHistory();
    expect(entry).toBeDefined();
    expect(Object.isFrozen(entry)).toBe(true);
  });
});

describe("the log", () => {
  const check = {
    taskId: "task",
    prevContextTokens: 76_210,
    contextWindow: 100_000,
    messageCount: 214,
    action: "condense",
  };

  test("gets one line per check", () => {
    const lines: string[] = [];
    monitorOf({ log: (line) => lines.push(line) }).checked(check);
    expect(lines).toEqual(['context task="task" tokens=76210 window=100000 used=76.2% messages=214 action=condense']);
  });

  test("gets one line also for an id with line breaks", () => {
    const lines: string[] = [];
    monitorOf({ log: (line) => lines.push(line) }).checked({ ...check, taskId: 'a"\r\nb' });
    expect(lines.join()).toContain('task="a\\"\\r\\nb" tokens');
    expect(lines.join()).not.toMatch(/[\r\n]/);
  });

  test("that fails, at once or later, is a fault", async () => {
    const atOnce = monitorOf({ log: fail });
    const later = monitorOf({ log: async () => fail() });
    for (const monitor of [atOnce, later]) {
      monitor.checked(check);
      await new Promise((resolve) => setImmediate(resolve));
      expect(monitor.getHistory()).toEqual([{ type: "fault", at: 1, plugin: "log", error: "log: out of order" }]);
    }
  });

  test("is off where none is given", () => {
    const monitor = monitorOf();
    monitor.checked(check);
    expect(monitor.getHistory()).toEqual([]);
  });
});

test("a monitor is refused what it cannot work with", () => {
  const fine = { telemetry: [], now: () => 0 };
  const unmet = unmetFaults(
    (input) => Reflect.apply(createMonitor, undefined, [input]),
    [
      [{ ...fine, telemetry: recorder() }, /telemetry is an object; it must be an array/],
      [{ ...fine, telemetry: [null] }, /telemetry\[0\] is null/],
      [{ ...fine, telemetry: [{ onCondensationStart: 5 }] }, /telemetry\[0\]\.onCondensationStart is 5/],
      [{ ...fine, now: 5 }, /now is 5; it must be a function/],
      [{ ...fine, log: true }, /log is true; it must be a function/],
      [{ ...fine, keepEntries: -1 }, /keepEntries is -1; it must be a whole number of at least 0/],
      [{ ...fine, keepEntries: Number.POSITIVE_INFINITY }, /keepEntries is Infinity/],
      [undefined, /options is undefined; it must be an object/],
      [fine, "answers"],
    ],
  );
  expect(unmet).toEqual([]);
});
