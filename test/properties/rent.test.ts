/** What the policy by prices promises, whatever arrives and whenever. */
import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { validateView } from "../../src/core/index.ts";
import { findModel } from "../../src/core/models/registry.ts";
import { decideRent, relativePrices } from "../../src/core/policy/rent.ts";
import { billWithFolds } from "../../src/core/statement/bill.ts";
import type { CallPrices, CallSize } from "../../src/core/statement/call-size.ts";
import { offlineOptimum } from "../../src/core/statement/offline-optimum.ts";
import type { RequestRecord } from "../../src/core/statement/request-record.ts";
import { addRequest, meanGrowth, NO_REQUESTS } from "../../src/core/statement/request-totals.ts";
import { createEngine, type Message, type Store } from "../../src/index.ts";
import { memoryStore } from "../../src/stores/memory/index.ts";
import { assistant, call, result, user } from "../support/messages.ts";
import { propertyRuns } from "../support/property-runs.ts";

const MODELS = ["claude-sonnet-4-5", "gpt-5", "gemini-2.5-pro", "deepseek-v4-pro", "gpt-6.1-sol"] as const;
const MINUTE = 60_000;

const arrivals = fc.oneof(
  { weight: 3, arbitrary: fc.nat(600) },
  { weight: 4, arbitrary: fc.integer({ min: 500, max: 5_000 }) },
  { weight: 1, arbitrary: fc.integer({ min: 5_000, max: 40_000 }) },
);
const pauses = fc.oneof(
  { weight: 9, arbitrary: fc.nat(2 * MINUTE) },
  { weight: 1, arbitrary: fc.integer({ min: 6 * MINUTE, max: 600 * MINUTE }) },
);

describe("on any sequence of arrivals", () => {
  interface Sequence {
    readonly model: (typeof MODELS)[number];
    readonly fixedTokens: number;
    readonly budgetTokens: number;
    readonly steps: readonly {
      readonly arrivedTokens: number;
      readonly pauseMs: number;
      readonly outputTokens: number;
    }[];
  }

  const sequences: fc.Arbitrary<Sequence> = fc.record({
    model: fc.constantFrom(...MODELS),
    fixedTokens: fc.nat(40_000),
    budgetTokens: fc.constantFrom(8_000, 16_000, 32_000),
    steps: fc.array(fc.record({ arrivedTokens: arrivals, pauseMs: pauses, outputTokens: fc.nat(1_000) }), {
      minLength: 2,
      maxLength: 120,
    }),
  });

  const ALLOWED_TOKENS = 180_000;
  const REREAD_TOKENS = 1_000;

  /** The calls before which the rule folds. */
  function foldsByRule({ model, budgetTokens }: Sequence, calls: readonly CallSize[]): readonly number[] {
    const { cacheTtlMs } = findModel(model);
    const prices = relativePrices(findModel(model));
    if (prices === undefined) throw new Error(`${model} has no prices`);
    const folds: number[] = [];
    let totals = NO_REQUESTS;
    let tokens = 0;
    for (const [i, { atMs, arrivedTokens, fixedTokens }] of calls.entries()) {
      tokens += arrivedTokens;
      const isCold = totals.lastAt !== undefined && atMs - totals.lastAt > cacheTtlMs;
      const growthTokens = meanGrowth(totals);
      const conversation = { tokens, newestTurnTokens: arrivedTokens, budgetTokens, growthTokens, isCold };
      const promptTokens = fixedTokens + tokens;
      const { reason, leftTokens } = decideRent(
        { ...conversation, rereadTokens: REREAD_TOKENS },
        { now: prices(promptTokens), folded: prices(fixedTokens + budgetTokens) },
      );
      if (reason !== "waits" || promptTokens > ALLOWED_TOKENS) {
        folds.push(i);
        tokens = Math.min(tokens, leftTokens);
      }
      totals = addRequest(totals, requestOf({ at: atMs, arrivedTokens }));
    }
    return folds;
  }

  function requestOf({ at, arrivedTokens }: Pick<RequestRecord, "at" | "arrivedTokens">): RequestRecord {
    const sizes = { contextWindow: 200_000, allowedTokens: ALLOWED_TOKENS, promptTokens: 0, overheadTokens: 0 };
    const decision = { policy: "rent", reason: "waits" } as const;
    const rest = { modelId: "m", version: 1, hiddenTokens: 0, tokenRatio: 1, tokens: {}, foldIds: [], condenseUsd: 0 };
    return { ...sizes, ...rest, decision, at, arrivedTokens };
  }

  test("the bill is at most twice that of the cheapest folds, found afterwards", () => {
    fc.assert(
      fc.property(sequences, (sequence) => {
        const { pricesUsdPerMillion, cacheTtlMs } = findModel(sequence.model);
        if (pricesUsdPerMillion.type !== "metered") return;
        const prices: CallPrices = { usdPerMillion: pricesUsdPerMillion, cacheTtlMs };
        let atMs = 0;
        const calls = sequence.steps.map(({ arrivedTokens, pauseMs, outputTokens }): CallSize => {
          atMs += pauseMs;
          return { atMs, fixedTokens: sequence.fixedTokens, arrivedTokens, outputTokens };
        });
        const model = { leftTokens: sequence.budgetTokens, rereadTokens: REREAD_TOKENS, allowedTokens: ALLOWED_TOKENS };
        const ours = billWithFolds(calls, prices, { ...model, folds: foldsByRule(sequence, calls) });
        const optimum = offlineOptimum(calls, prices, model);
        expect(ours.usd).toBeLessThanOrEqual(2 * optimum.usd);
      }),
      propertyRuns(200),
    );
  });
});

describe("a clock that jumps", () => {
  const jumps = fc.oneof(
    pauses,
    pauses.map((ms) => -ms),
    fc.constantFrom(0, 1e12, -1e12, Number.MAX_SAFE_INTEGER),
  );

  test("does no harm: every view is valid and fits, nothing is folded twice for one message, nothing is lost", async () => {
    const steps = fc.array(fc.record({ jumpMs: jumps, lines: fc.integer({ min: 1, max: 400 }) }), {
      minLength: 4,
      maxLength: 24,
    });
    await fc.assert(
      fc.asyncProperty(steps, async (talk) => {
        let now = 1_700_000_000_000;
        const configuration = { thresholds: { economy: 4_000 } } as const;
        const session = await createEngine({ model: "claude-sonnet-4-5", configuration, now: () => now }).session(
          "task",
        );
        const said: Message[] = [];
        for (const [at, { jumpMs, lines }] of talk.entries()) {
          now = Math.max(0, Math.min(Number.MAX_SAFE_INTEGER, now + jumpMs));
          const text = Array.from({ length: lines }, (_, line) => `const value${at}_${line} = read("${line}");`).join(
            "\n",
          );
          const step = [assistant(call(`t${at}`, "read_file", { path: `src/${at}.ts` })), user(result(`t${at}`, text))];
          const messages = at === 0 ? [user("Look around."), ...step] : step;
          said.push(...messages);
          await session.append(...messages);
          const { messages: view, report } = await session.prepare();
          expect(validateView(view)).toEqual([]);
          expect(report.promptTokens).toBeLessThanOrEqual(report.allowedTokens);
          if (at % 2 === 0) session.observe({ inputTokens: report.promptTokens, outputTokens: 10 });
          const again = await session.prepare();
          expect(again.report.foldIds).toEqual([]);
          expect(again.messages).toEqual(view);
        }
        for (const { foldId } of await session.folds()) await session.restore(foldId).catch(() => undefined);
        const contents = (await session.log())
          .filter(({ isSummary }) => isSummary !== true)
          .map(({ content }) => content);
        expect(contents).toEqual(said.map(({ content }) => content));
      }),
      propertyRuns(15),
    );
  });
});

describe("a restart", () => {
  const steps = fc.array(
    fc.record({
      pauseMs: pauses,
      lines: fc.oneof(
        { weight: 8, arbitrary: fc.integer({ min: 1, max: 120 }) },
        { weight: 1, arbitrary: fc.constant(900) },
      ),
      /** What the provider reports for one token that was foretold. */
      reported: fc.double({ min: 0.9, max: 1.4, noNaN: true }),
      isReread: fc.boolean(),
      isRestarted: fc.boolean(),
    }),
    { minLength: 6, maxLength: 30 },
  );
  const talks = fc.record({ steps, model: fc.constantFrom(...MODELS), economy: fc.constantFrom(2_000, 4_000, 8_000) });

  test("changes no byte of a view: folds that were made are replayed, and the next ones are made at the same moment", async () => {
    let folds = 0;
    await fc.assert(
      fc.asyncProperty(talks, async ({ steps: talk, model, economy }) => {
        let now = 1_700_000_000_000;
        const engineOn = (store: Store) =>
          createEngine({ model, store, configuration: { thresholds: { economy } }, now: () => now });
        const stores = { steady: memoryStore(), restarted: memoryStore() };
        const steady = await engineOn(stores.steady).session("task");
        let restarted = await engineOn(stores.restarted).session("task");
        let view: readonly Message[] = [];
        for (const [at, { pauseMs, lines, reported, isReread, isRestarted }] of talk.entries()) {
          now += pauseMs;
          if (isRestarted) {
            restarted.close();
            await setImmediate();
            restarted = await engineOn(stores.restarted).session("task");
            expect(await restarted.view()).toEqual(view);
          }
          const messages = readStep(isReread ? Math.floor(at / 3) : at, at, lines);
          for (const session of [steady, restarted]) await session.append(...messages);
          const { messages: expected, report } = await steady.prepare();
          ({ messages: view } = await restarted.prepare());
          // After a condensation that was refused, a process waits before it tries again; another process does not know of it.
          if ((await steady.events()).some(({ type }) => type === "condense_failed")) break;
          expect(JSON.stringify(view)).toBe(JSON.stringify(expected));
          folds += report.foldIds.length;
          const usage = { inputTokens: Math.ceil(reported * report.promptTokens), outputTokens: 10 };
          const calibration = { usage, from: "next-message" } as const;
          const request = { at: now, usage, calibration, messageCount: (await steady.log()).length };
          for (const session of [steady, restarted]) await session.recordRequest(request);
        }
        for (const session of [steady, restarted]) session.close();
        // what is only referred to weakly is released when the event loop turns
        await setImmediate();
      }),
      propertyRuns(40),
    );
    expect(folds).toBeGreaterThan(0);
  });

  /** A file is read, for the first time or again. */
  function readStep(file: number, at: number, lines: number): readonly Message[] {
    const text = Array.from({ length: lines }, (_, line) => `const value${file}_${line} = read("${line}");`).join("\n");
    const step = [assistant(call(`t${at}`, "read_file", { path: `src/${file}.ts` })), user(result(`t${at}`, text))];
    return at === 0 ? [user("Look around."), ...step] : step;
  }
});
