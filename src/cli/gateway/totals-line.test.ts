import { expect, test } from "vitest";
import { totalsLine } from "./totals-line.ts";

const NOTHING = {
  requests: 0,
  tokensIn: 0,
  tokensSent: 0,
  folds: 0,
  retries: 0,
  costUsd: 0,
  startedAt: 0,
  statuses: {},
  incidents: 0,
};

const MONEY = {
  requests: 42,
  unpriced: 0,
  spentUsd: 3.214,
  withoutFoldsUsd: 4.5,
  withSummaryAt80Usd: 4,
  optimumUsd: 3.1,
  savedUsd: { againstNothing: 1.286, againstSummaryAt80: 0.786 },
};

test("says requests, tokens, folds, what was spent and saved against what, and the optimum", () => {
  const stats = { ...NOTHING, requests: 42, tokensIn: 1_204_332, tokensSent: 388_120, folds: 1 };
  expect(totalsLine(stats, MONEY)).toBe(
    "palimpsest: 42 requests · 1,204,332 tokens seen, 388,120 sent · 1 fold · $3.21 spent · $1.29 less than without folds, $0.79 less than with a summary at 80 % · $3.10 at best",
  );
});

test("says incidents, losses and tiny sums as they are", () => {
  const one = { ...NOTHING, requests: 1, incidents: 2 };
  expect(totalsLine(one)).toContain("1 request · 0 tokens seen, 0 sent · 0 folds · 2 incidents");
  const line = (againstNothing: number, againstSummaryAt80: number) =>
    totalsLine(one, { ...MONEY, savedUsd: { againstNothing, againstSummaryAt80 } });
  expect(line(-0.5, 0.001)).toContain("$0.50 more than without folds, $0.0010 less than with a summary at 80 %");
  expect(line(0, -0.000001)).toContain("the same as without folds, the same as with a summary at 80 %");
});

test("says what is not known", () => {
  const one = { ...NOTHING, requests: 3 };
  expect(totalsLine(one, { ...MONEY, requests: 0 })).toMatch(/0 folds$/);
  expect(totalsLine(one, { ...MONEY, requests: 3, unpriced: 3 })).toMatch(/0 folds · cost not known$/);
  expect(totalsLine(one, { ...MONEY, requests: 3, unpriced: 1 })).toContain("$3.21 spent (1 of unknown cost left out)");
});

test("says that nothing came", () => {
  expect(totalsLine(NOTHING)).toBe("palimpsest: no request came through the gateway");
});
