import { expect, test } from "vitest";
import type { DecisionReason, RequestRecord } from "../statement/request-record.ts";
import { count, describeDecision } from "./describe-decision.ts";

const request: RequestRecord = {
  at: 0,
  modelId: "m",
  contextWindow: 200_000,
  allowedTokens: 168_000,
  version: 1,
  promptTokens: 54_321,
  overheadTokens: 0,
  arrivedTokens: 0,
  hiddenTokens: 0,
  tokenRatio: 1,
  tokens: {},
  foldIds: [],
  decision: {
    policy: "rent",
    reason: "waits",
    numbers: { gainTokens: 1_234, neededGainTokens: 20_000, leftTokens: 16_000 },
  },
  condenseUsd: 0,
};

test("each decision is one sentence with its numbers", () => {
  const sentences = (
    ["pays", "cold", "threshold", "limit", "request", "fits", "waits", "nothing to fold"] satisfies DecisionReason[]
  ).map((reason) => describeDecision({ ...request, decision: { ...request.decision, reason } }));
  expect(new Set(sentences).size).toBe(8);
  for (const sentence of sentences) expect(sentence).toMatch(/^(Folded|Nothing was folded).*[^.]\.$/);
  expect(sentences[0]).toContain("1,234");
  expect(sentences[3]).toContain("168,000");
  expect(sentences[6]).toBe("Nothing was folded: a fold would hide 1,234 tokens, and a fold pays from 20,000 on.");
});

test("a decision without numbers makes none up", () => {
  const decision = { policy: "rent", reason: "pays" } as const;
  expect(describeDecision({ ...request, decision })).toContain("an unknown number of");
});

test("numbers are written with commas", () => {
  expect([0, 999, 1_000, 1_234_567.4].map(count)).toEqual(["0", "999", "1,000", "1,234,567"]);
});
