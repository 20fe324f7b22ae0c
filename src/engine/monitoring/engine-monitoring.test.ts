/** What an engine tells: telemetry, history, metrics and the log. */
import { describe, expect, test, vi } from "vitest";
import { openSession, strategy, talkOf } from "../../../test/support/sessions.ts";
import type { Configuration, LineLevel, LogLevel, Telemetry } from "../../index.ts";

const FULL = talkOf(20, 390);
const OVERFULL = talkOf(24, 390);

const failing = () =>
  strategy("failing", {
    condense: ({ messages }) => ({ messages, summary: "", cost: 0.25, error: "overloaded", modelCalls: 1 }),
  });

describe("telemetry", () => {
  function recording() {
    const events: [string, unknown][] = [];
    const on = (name: string) => (event: unknown) => events.push([name, event]);
    const telemetry: Telemetry = {
      onCondensationStart: on("start"),
      onCondensationSuccess: on("success"),
      onCondensationFailure: on("failure"),
      onFallbackToTruncation: on("fallback"),
    };
    return { events, telemetry: [telemetry] };
  }

  test("hears of each condensation: how it began and what came of it", async () => {
    const { events, telemetry } = recording();
    let time = 1_000;
    const now = () => (time += 50);
    const { session, engine } = await openSession({ condenser: strategy("s"), telemetry, now }, { messages: FULL });
    const { report } = await session.prepare();
    const start = { taskId: "task", strategy: "s", trigger: "auto", prevContextTokens: report.prevContextTokens };
    const success = {
      ...start,
      condenseId: "s-fold",
      newContextTokens: expect.any(Number),
      messagesHidden: 16,
      costUsd: 0.5,
      durationMs: 50,
      scores: { tokens: expect.any(Number), "summary-quality": 1, "fact-survival": 1, "back-test": 1 },
    };
    expect(events).toEqual([
      ["start", start],
      ["success", success],
    ]);
    expect(engine.getHistory()).toEqual([{ type: "success", at: expect.any(Number), ...success }]);
    const [entry] = engine.getHistory();
    const newTokens = entry?.type === "success" ? entry.newContextTokens : 0;
    expect(Math.abs(newTokens - report.promptTokens) / report.promptTokens).toBeLessThan(0.05);
    expect(engine.getMetrics()).toMatchObject({
      condensations: 1,
      failures: 0,
      fallbacks: 0,
      faults: 0,
      tokensSaved: report.prevContextTokens - newTokens,
      costUsd: 0.5,
      averageDurationMs: 50,
      averageReductionPercent: 100 * (1 - newTokens / report.prevContextTokens),
    });
  });

  test("hears of failures and of falling back, with why and what it cost", async () => {
    const { events, telemetry } = recording();
    const { session, engine } = await openSession({ condenser: failing(), telemetry }, { messages: OVERFULL });
    const { report } = await session.prepare();
    const { prevContextTokens } = report;
    const start = { taskId: "task", strategy: "failing", trigger: "auto", prevContextTokens };
    expect(events).toEqual([
      ["start", start],
      ["failure", { ...start, error: "overloaded", costUsd: 0.25, durationMs: 0 }],
      ["fallback", { taskId: "task", prevContextTokens, error: "overloaded" }],
    ]);
    expect(engine.getMetrics()).toMatchObject({ condensations: 0, failures: 1, fallbacks: 1, costUsd: 0.25 });
    expect(engine.getHistory().map((entry) => entry.type)).toEqual(["failure", "fallback"]);
  });

  test("that throws holds up nothing and is counted", async () => {
    const boom = () => {
      throw new Error("boom");
    };
    const telemetry = [{ onCondensationStart: boom, onCondensationSuccess: boom }, recording().telemetry[0]].filter(
      (t) => t !== undefined,
    );
    const { session, engine } = await openSession({ condenser: strategy("s"), telemetry }, { messages: FULL });
    expect((await session.prepare()).report.foldIds).toEqual(["s-fold"]);
    expect(engine.getMetrics().faults).toBe(2);
  });

  test("is told nothing while it is switched off; history and metrics go on", async () => {
    const { events, telemetry } = recording();
    const configuration = { monitoring: { telemetry: false } };
    const { session, engine } = await openSession(
      { condenser: failing(), telemetry, configuration },
      { messages: OVERFULL },
    );
    await session.prepare();
    expect(events).toEqual([]);
    expect(engine.getMetrics()).toMatchObject({ failures: 1, fallbacks: 1 });
    engine.configure({ monitoring: { telemetry: true } });
    await session.condense();
    expect(events.map(([name]) => name)).toEqual(["start", "failure"]);
  });

  test("gets no scores where metrics of validation are off", async () => {
    const { events, telemetry } = recording();
    const configuration = { validation: { metrics: false } };
    const { session } = await openSession({ condenser: strategy("s"), telemetry, configuration }, { messages: FULL });
    await session.prepare();
    expect(events[1]).toEqual(["success", expect.objectContaining({ scores: {} })]);
  });
});

describe("the log", () => {
  test("gets a line for each check with tokens, window, share, messages and action", async () => {
    const lines: string[] = [];
    const configuration: Configuration = { monitoring: { logging: true } };
    const { session } = await openSession({ condenser: strategy("s"), configuration, log: (line) => lines.push(line) });
    await session.append(...talkOf(4, 390));
    const { report } = await session.prepare();
    await session.append(...talkOf(20, 390).slice(4));
    const { report: second } = await session.prepare();
    expect(lines).toEqual([
      `context task="task" tokens=${report.promptTokens} window=10000 used=${report.prevUsedPercent.toFixed(1)}% messages=4 action=none`,
      `context task="task" tokens=${second.prevContextTokens} window=10000 used=${second.prevUsedPercent.toFixed(1)}% messages=20 action=dedupe+clear+condense`,
    ]);
  });

  /** One session that cannot be condensed and is over the limit, and one that can. */
  async function linesAt(logging: boolean | LogLevel): Promise<readonly string[]> {
    const lines: string[] = [];
    const log = (line: string, level: LineLevel) => lines.push(`${level} ${line.split(" ", 1)[0]}`);
    const configuration: Configuration = { monitoring: { logging } };
    const one = await openSession({ condenser: failing(), configuration, log }, { messages: OVERFULL });
    await one.session.prepare();
    const other = await openSession({ condenser: strategy("s"), configuration, log }, { messages: FULL });
    await other.session.prepare();
    return lines;
  }

  test.each([
    ["silent", []],
    ["error", ["error failed"]],
    ["warn", ["error failed", "warn truncated"]],
    ["info", ["error failed", "warn truncated", "info context", "info context"]],
    ["debug", ["error failed", "warn truncated", "info context", "debug condensed", "info context"]],
    [false, []],
    [true, ["error failed", "warn truncated", "info context", "info context"]],
  ] as const)("at %s has the lines of that level and of those above it", async (logging, expected) => {
    expect((await linesAt(logging)).toSorted()).toEqual(expected.toSorted());
  });

  test("a log that throws is a fault, and is not asked to write that down", async () => {
    const log = vi.fn(() => {
      throw new Error("disk full");
    });
    const configuration: Configuration = { monitoring: { logging: "debug" } };
    const { session, engine } = await openSession({ configuration, log });
    await session.prepare();
    expect(log).toHaveBeenCalledTimes(1);
    expect(engine.getHistory()).toMatchObject([{ type: "fault", plugin: "log" }]);
  });

  test("is silent unless it is switched on", async () => {
    const log = vi.fn();
    const { session } = await openSession({ log }, { messages: FULL });
    await session.prepare();
    expect(log).not.toHaveBeenCalled();
  });
});
