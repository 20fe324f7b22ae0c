/** What sessions cost, and what the same requests would have cost otherwise. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PROPERTY_RUNS } from "../../../test/support/property-runs.ts";
import type { ModelEntry } from "../models/model-entry.ts";
import { priceOf } from "../models/price.ts";
import { findModel } from "../models/registry.ts";
import type { RequestRecord } from "./request-record.ts";
import { type SessionAccount, statementHistory, sumStatement } from "./sum-statement.ts";

const MINUTE = 60_000;

/** Prices of 1, 0.1, 1.25 and 5 USD per million, and a cache of five minutes. */
const MODEL: ModelEntry = {
  ...findModel("claude-sonnet-4-5"),
  pricesUsdPerMillion: { type: "metered", input: 1, cacheRead: 0.1, cacheWrite: 1.25, output: 5 },
  cacheTtlMs: 5 * MINUTE,
};

const options = { findModel: () => MODEL };

interface Sent {
  readonly at?: number;
  readonly said: number;
  readonly hidden?: number;
  /** Of the prompt, from the cache and to it. @default nothing is cached */
  readonly read?: number;
  readonly written?: number;
  readonly output?: number;
  readonly more?: Partial<RequestRecord>;
}

/** A request with a system prompt of 1,000 tokens. */
function request({ at = 0, said, hidden = 0, read = 0, written = 0, output = 0, more = {} }: Sent): RequestRecord {
  const promptTokens = 1_000 + said - hidden;
  const usage = {
    inputTokens: promptTokens - read - written,
    cacheReadTokens: read,
    cacheWriteTokens: written,
    outputTokens: output,
  };
  const costUsd = priceOf(MODEL, usage) ?? 0;
  return {
    at,
    modelId: "m",
    contextWindow: 200_000,
    allowedTokens: 10_000_000,
    version: 1,
    promptTokens,
    overheadTokens: 1_000,
    arrivedTokens: 0,
    hiddenTokens: hidden,
    tokenRatio: 1,
    tokens: {},
    foldIds: [],
    decision: { policy: "rent", reason: "waits" },
    condenseUsd: 0,
    usage,
    costUsd,
    ...more,
  };
}

const session = (...requests: readonly RequestRecord[]): SessionAccount => ({ requests, condensingUsd: 0 });

/** Calls that only grow, with a cache that works now and then. */
const growingCalls = fc
  .array(
    fc.record({
      arrived: fc.integer({ min: 1, max: 20_000 }),
      pause: fc.constantFrom(0, MINUTE, 10 * MINUTE),
      readShare: fc.constantFrom(0, 0.3, 1),
      writtenShare: fc.constantFrom(0, 1),
      output: fc.integer({ min: 0, max: 2_000 }),
    }),
    { minLength: 1, maxLength: 30 },
  )
  .map((calls) => {
    let [at, said] = [0, 0];
    return calls.map(({ arrived, pause, readShare, writtenShare, output }, index) => {
      const known = index === 0 || pause > 5 * MINUTE ? 0 : 1_000 + said;
      at += pause;
      said += arrived;
      const read = Math.round(known * readShare);
      const written = Math.round((1_000 + said - read) * writtenShare);
      return request({ at, said, read, written, output });
    });
  });

describe("a session of which nothing was folded", () => {
  test("saved nothing, however its cache worked", () => {
    fc.assert(
      fc.property(growingCalls, (requests) => {
        const { spentUsd, withoutFoldsUsd, savedUsd, optimumUsd } = sumStatement([session(...requests)], options);
        expect(withoutFoldsUsd).toBeCloseTo(spentUsd, 9);
        expect(savedUsd.againstNothing).toBeCloseTo(0, 9);
        expect(optimumUsd).toBeLessThanOrEqual(withoutFoldsUsd + 1e-9);
      }),
      PROPERTY_RUNS,
    );
  });

  test("found in the cache what the provider says that it found after a long pause", () => {
    const requests = [
      request({ said: 9_000, written: 10_000 }),
      request({ at: 50 * MINUTE, said: 10_000, read: 10_000, written: 1_000 }),
    ];
    const { coldCalls, savedUsd, cacheHits } = sumStatement([session(...requests)], options);
    expect(coldCalls).toBe(0);
    expect(savedUsd.againstNothing).toBeCloseTo(0, 12);
    expect(cacheHits).toEqual({ expectedTokens: 10_000, reportedTokens: 10_000 });
  });
});

describe("a session that was folded", () => {
  const folded = (more: Partial<RequestRecord> = {}) => [
    request({ said: 99_000, written: 100_000 }),
    // 90,000 tokens are hidden: of the prompt before, only the system prompt is read again.
    request({
      at: MINUTE,
      said: 100_000,
      hidden: 90_000,
      read: 1_000,
      written: 10_000,
      more: { foldIds: ["f1"], decision: { policy: "rent", reason: "pays" }, ...more },
    }),
    request({ at: 2 * MINUTE, said: 101_000, hidden: 90_000, read: 11_000, written: 1_000 }),
  ];

  test("spent what was reported, and saved what carrying the hidden tokens would have cost", () => {
    const { spentUsd, withoutFoldsUsd, savedUsd, usage } = sumStatement([session(...folded())], options);
    expect(spentUsd).toBeCloseTo((100_000 * 1.25 + (100 + 12_500) + (1_100 + 1_250)) / 1e6, 12);
    expect(withoutFoldsUsd).toBeCloseTo((100_000 * 1.25 + (10_000 + 1_250) + (10_100 + 1_250)) / 1e6, 12);
    expect(savedUsd.againstNothing).toBeCloseTo(withoutFoldsUsd - spentUsd, 12);
    expect(usage).toEqual({ inputTokens: 0, cacheReadTokens: 12_000, cacheWriteTokens: 111_000, outputTokens: 0 });
  });

  test("names what its folds cost and earned by their cause", () => {
    const { folds } = sumStatement([session(...folded())], options);
    expect(folds).toHaveLength(1);
    expect(folds[0]).toMatchObject({ cause: "pays", requests: 1, hiddenTokens: 90_000 });
    // 9,000 of the 10,000 tokens that it left were in the cache before.
    expect(folds[0]?.costUsd).toBeCloseTo((1.15 * 9_000) / 1e6, 12);
    expect(folds[0]?.earnedUsd).toBeCloseTo((2 * 0.1 * 90_000) / 1e6, 12);
  });

  test("may have cost more than it saved", () => {
    const [first, second] = folded({ condenseUsd: 0.5 });
    if (first === undefined || second === undefined) throw new Error("two requests are needed");
    const account = { requests: [first, second], condensingUsd: 0.5 };
    const { savedUsd, condensingUsd, spentUsd, ratioToOptimum = 0 } = sumStatement([account], options);
    expect(condensingUsd).toBe(0.5);
    expect(spentUsd).toBeGreaterThan(0.5);
    expect(savedUsd.againstNothing).toBeLessThan(-0.49);
    expect(savedUsd.againstSummaryAt80).toBeLessThan(-0.49);
    expect(ratioToOptimum).toBeGreaterThan(1);
  });

  test("no longer earns what was restored", () => {
    const requests = [...folded(), request({ at: 3 * MINUTE, said: 102_000, read: 1_000, written: 102_000 })];
    const { folds } = sumStatement([session(...requests)], options);
    expect(folds.find(({ cause }) => cause === "pays")?.earnedUsd).toBeCloseTo((2 * 0.1 * 90_000) / 1e6, 9);
  });

  test("condensing by hand is told apart", () => {
    const account = { requests: [request({ said: 10_000 })], condensingUsd: 0.25 };
    expect(sumStatement([account], options).folds).toEqual([
      { cause: "hand", requests: 0, hiddenTokens: 0, costUsd: 0.25, earnedUsd: 0 },
    ]);
  });
});

describe("figures of money", () => {
  test("leave out requests whose cost is not known, on both sides", () => {
    const { costUsd: _, usage: _1, ...unreported } = request({ said: 50_000 });
    const statement = sumStatement([session(request({ said: 49_000 }), unreported)], options);
    expect(statement).toMatchObject({ requests: 2, unpriced: 1 });
    expect(statement.savedUsd.againstNothing).toBeCloseTo(0, 12);
  });

  test("claim nothing for models whose prices are not known", () => {
    const unknown: ModelEntry = { ...MODEL, pricesUsdPerMillion: { type: "unknown" } };
    const { costUsd: _, ...unpriced } = request({ said: 50_000, hidden: 40_000, more: { foldIds: ["f"] } });
    const statement = sumStatement([session(unpriced, { ...unpriced, foldIds: [] })], { findModel: () => unknown });
    expect(statement).toMatchObject({ unpriced: 2, spentUsd: 0, withoutFoldsUsd: 0 });
    // That something was folded is known all the same.
    expect(statement.folds).toEqual([
      expect.objectContaining({ requests: 1, hiddenTokens: 40_000, costUsd: 0, earnedUsd: 0 }),
    ]);
    expect(statement).not.toHaveProperty("ratioToOptimum");
  });

  test("a model without a prompt cache has no cold calls", () => {
    const uncached: ModelEntry = { ...MODEL, cacheTtlMs: 0 };
    const statement = sumStatement([session(request({ said: 1_000 }), request({ said: 2_000 }))], {
      findModel: () => uncached,
    });
    expect(statement.coldCalls).toBe(0);
  });

  test("a rewind is paid once, and what was rewound is not carried on", () => {
    const requests = [
      request({ said: 50_000, written: 51_000 }),
      request({ said: 11_000, read: 11_000, written: 1_000, more: { arrivedTokens: 1_000 } }),
    ];
    const { savedUsd, spentUsd, withoutFoldsUsd } = sumStatement([session(...requests)], options);
    expect(withoutFoldsUsd).toBeCloseTo(spentUsd, 12);
    expect(savedUsd.againstNothing).toBeCloseTo(0, 12);
  });

  test("each model has a cache and prices of its own", () => {
    const requests = [
      request({ said: 10_000, written: 11_000 }),
      request({ said: 11_000, written: 12_000, more: { modelId: "other" } }),
    ];
    const { savedUsd, coldCalls } = sumStatement([session(...requests)], options);
    expect(savedUsd.againstNothing).toBeCloseTo(0, 12);
    expect(coldCalls).toBe(0);
  });

  test("are the same for two sessions as for each of them", () => {
    fc.assert(
      fc.property(growingCalls, growingCalls, (first, second) => {
        const both = sumStatement([session(...first), session(...second)], options);
        const each = [first, second].map((requests) => sumStatement([session(...requests)], options));
        const sum = (get: (statement: (typeof each)[number]) => number) => each.reduce((all, one) => all + get(one), 0);
        expect(both.spentUsd).toBeCloseTo(
          sum(({ spentUsd }) => spentUsd),
          9,
        );
        expect(both.optimumUsd).toBeCloseTo(
          sum(({ optimumUsd }) => optimumUsd),
          9,
        );
        expect(both.withSummaryAt80Usd).toBeCloseTo(
          sum(({ withSummaryAt80Usd }) => withSummaryAt80Usd),
          9,
        );
        expect(both.requests).toBe(first.length + second.length);
      }),
      PROPERTY_RUNS,
    );
  });
});

test("the forecast's error is told by percentiles", () => {
  const requests = Array.from({ length: 100 }, (_, index) => {
    const sent = request({ said: 9_000 + index });
    return { ...sent, promptTokens: sent.promptTokens * (index === 99 ? 1.5 : 1.01) };
  });
  const { forecastErrorPercent } = sumStatement([session(...requests)], options);
  expect(forecastErrorPercent?.p50).toBeCloseTo(1, 9);
  expect(forecastErrorPercent?.p99).toBeCloseTo(1, 9);
});

test("what agents read again after folds is told", () => {
  const requests = [request({ said: 10 }), request({ said: 20, more: { rereadTokens: 700 } })];
  expect(sumStatement([session(...requests)], options).rereads).toEqual({ requests: 1, tokens: 700 });
});

test("how many critical facts folds left visible is told, and nothing where nothing was folded", () => {
  const requests = [
    request({ said: 10, more: { criticalFacts: { facts: 12, visible: 11 } } }),
    request({ said: 20 }),
    request({ said: 30, more: { criticalFacts: { facts: 8, visible: 2 } } }),
  ];
  expect(sumStatement([session(...requests)], options).criticalFacts).toEqual({ facts: 20, visible: 13 });
  expect(sumStatement([session(request({ said: 10 }))], options)).not.toHaveProperty("criticalFacts");
});

test("only requests since a moment are summed, compared with what they followed", () => {
  const requests = [
    request({ said: 9_000, written: 10_000 }),
    request({ at: MINUTE, said: 10_000, read: 10_000, written: 1_000 }),
  ];
  const {
    requests: counted,
    spentUsd,
    savedUsd,
    usage,
  } = sumStatement([session(...requests)], {
    ...options,
    since: MINUTE,
  });
  expect(counted).toBe(1);
  expect(spentUsd).toBeCloseTo((10_000 * 0.1 + 1_000 * 1.25) / 1e6, 12);
  expect(savedUsd.againstNothing).toBeCloseTo(0, 12);
  expect(usage.cacheWriteTokens).toBe(1_000);
});

test("records that cannot be read are passed over", () => {
  const broken = { ...request({ said: 10 }), promptTokens: Number.NaN };
  expect(sumStatement([session(broken, request({ said: 10 }))], options).requests).toBe(1);
});

describe("the history of a session", () => {
  const anyRequests = fc.array(
    fc.record({
      minutes: fc.nat(12),
      arrived: fc.nat(20_000),
      hiddenShare: fc.constantFrom(0, 0, 0.4, 0.8),
      readShare: fc.constantFrom(0, 0.9),
      isPriced: fc.boolean(),
      modelId: fc.constantFrom("m", "m", "n"),
      condenseUsd: fc.constantFrom(0, 0, 0.01),
    }),
    { maxLength: 20 },
  );

  test("adds up to its statement, whatever was folded", () => {
    fc.assert(
      fc.property(anyRequests, (parts) => {
        let [at, said] = [0, 0];
        const requests = parts.map(({ minutes, arrived, hiddenShare, readShare, isPriced, modelId, condenseUsd }) => {
          at += minutes * MINUTE;
          said += arrived;
          const hidden = Math.floor(said * hiddenShare);
          const more = { modelId, condenseUsd, ...(hidden > 0 ? { foldIds: ["f"] } : {}) };
          const sent = request({ at, said, hidden, read: Math.floor((said - hidden) * readShare), more });
          const { costUsd: _, ...unpriced } = sent;
          return isPriced ? sent : unpriced;
        });
        const account = { requests, condensingUsd: requests.reduce((sum, each) => sum + each.condenseUsd, 0) };
        const statement = sumStatement([account], options);
        const history = statementHistory(account, options);
        expect(history.requests.map((each) => each.at)).toEqual(requests.map((each) => each.at));
        for (const name of ["spentUsd", "withoutFoldsUsd", "withSummaryAt80Usd", "optimumUsd"] as const) {
          expect(history.requests.reduce((sum, each) => sum + each[name], 0)).toBeCloseTo(statement[name], 9);
        }
        const { folds, cacheHits } = statement;
        for (const name of ["costUsd", "earnedUsd", "hiddenTokens"] as const) {
          const one = history.folds.reduce((sum, each) => sum + each[name], 0);
          expect(one).toBeCloseTo(
            folds.reduce((sum, each) => sum + each[name], 0),
            9,
          );
        }
        expect(history.folds).toHaveLength(folds.reduce((sum, each) => sum + each.requests, 0));
        for (const name of ["expectedTokens", "reportedTokens"] as const) {
          const one = history.requests.reduce((sum, each) => sum + (each.cacheHits?.[name] ?? 0), 0);
          expect(one).toBe(cacheHits[name]);
        }
      }),
      PROPERTY_RUNS,
    );
  });

  test("tells when each fold was made, why, and what it cost and earned", () => {
    const folded = { foldIds: ["f"], decision: { policy: "rent", reason: "pays" } as const };
    const account = session(
      request({ at: 0, said: 50_000 }),
      request({ at: MINUTE, said: 50_000, hidden: 40_000, more: folded }),
      request({ at: 2 * MINUTE, said: 50_000, hidden: 40_000, read: 11_000 }),
    );
    const { requests, folds } = statementHistory(account, options);
    expect(folds).toMatchObject([{ request: 1, at: MINUTE, cause: "pays", hiddenTokens: 40_000 }]);
    expect(folds[0]?.costUsd).toBeGreaterThan(0);
    expect(folds[0]?.earnedUsd).toBeGreaterThan(0);
    expect(requests[2]?.withoutFoldsUsd).toBeGreaterThan(requests[2]?.spentUsd ?? Number.NaN);
    expect(requests[0]?.forecastErrorPercent).toBe(0);
  });

  test("counts the requests of a fold within the period that is asked for", () => {
    const folded = { foldIds: ["f"], decision: { policy: "rent", reason: "pays" } as const };
    const account = session(
      request({ at: 0, said: 50_000 }),
      request({ at: MINUTE, said: 50_000 }),
      request({ at: 2 * MINUTE, said: 50_000, hidden: 40_000, more: folded }),
    );
    const { requests, folds } = statementHistory(account, { ...options, since: MINUTE });
    expect(requests).toHaveLength(2);
    expect(folds).toMatchObject([{ request: 1, at: 2 * MINUTE }]);
  });
});
