import { expect, test } from "vitest";
import { totalsLine } from "./totals-line.ts";

const NOTHING = {
  requests: 0,
  tokensIn: 0,
  tokensSent: 0,
  folds: 0,
  retries: 0,
  costUsd: 0,
  savedUsd: 0,
  startedAt: 0,
  statuses: {},
  incidents: 0,
};

test("says requests, tokens seen and sent, folds and what was saved", () => {
  const stats = { ...NOTHING, requests: 42, tokensIn: 1_204_332, tokensSent: 388_120, folds: 1, savedUsd: 3.214 };
  expect(totalsLine(stats)).toBe(
    "palimpsest: 42 requests · 1,204,332 tokens seen, 388,120 sent · 1 fold · $3.21 saved",
  );
});

test("says incidents, losses and tiny sums as they are", () => {
  const one = { ...NOTHING, requests: 1, incidents: 2 };
  expect(totalsLine(one)).toContain("1 request · 0 tokens seen, 0 sent · 0 folds · $0.00 saved · 2 incidents");
  expect(totalsLine({ ...one, savedUsd: -0.05 })).toContain("$0.05 more spent");
  expect(totalsLine({ ...one, savedUsd: 0.001 })).toContain("less than $0.01 saved");
});

test("says that nothing came", () => {
  expect(totalsLine(NOTHING)).toBe("palimpsest: no request came through the gateway");
});
