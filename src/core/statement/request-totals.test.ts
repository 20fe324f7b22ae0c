import { expect, test } from "vitest";
import type { RequestRecord } from "./request-record.ts";
import { addRequest, meanGrowth, NO_REQUESTS } from "./request-totals.ts";

function request(change: Partial<RequestRecord>): RequestRecord {
  return {
    at: 0,
    modelId: "m",
    contextWindow: 200_000,
    allowedTokens: 170_000,
    version: 1,
    promptTokens: 10_000,
    overheadTokens: 1_000,
    arrivedTokens: 0,
    hiddenTokens: 0,
    tokenRatio: 1,
    tokens: {},
    foldIds: [],
    decision: { policy: "rent", reason: "waits" },
    condenseUsd: 0,
    ...change,
  };
}

const totalsOf = (changes: readonly Partial<RequestRecord>[]) => changes.map(request).reduce(addRequest, NO_REQUESTS);

test("a call is taken to add 1,500 tokens until more is known; the beginning adds nothing", () => {
  expect(meanGrowth(NO_REQUESTS)).toBe(1_500);
  expect(meanGrowth(totalsOf([{ arrivedTokens: 50_000 }]))).toBe(1_500);
  expect(meanGrowth(totalsOf([{}, ...Array.from({ length: 95 }, () => ({ arrivedTokens: 3_000 }))]))).toBe(2_925);
});

test("an arrival counts with 8,000 tokens at most", () => {
  expect(meanGrowth(totalsOf([{}, { arrivedTokens: 500_000 }]))).toBe((8_000 + 7_500) / 6);
});

test("what is read again is an average over folds, the newer ones first", () => {
  const fold = { foldIds: ["f"] };
  expect(totalsOf([{ rereadTokens: 9_000 }, fold]).rereadTokens).toBe(1_000);
  expect(totalsOf([fold, { rereadTokens: 3_000 }, { rereadTokens: 2_000 }]).rereadTokens).toBe(1_000);
  expect(totalsOf([fold, { rereadTokens: 3_000 }, { rereadTokens: 2_000 }, fold]).rereadTokens).toBe(2_000);
  expect(totalsOf([fold, fold]).rereadTokens).toBe(750);
});

test("a clock that was set back does not make the last request older", () => {
  expect(totalsOf([{ at: 500 }, { at: 100 }]).lastAt).toBe(500);
  expect(NO_REQUESTS.lastAt).toBeUndefined();
});
