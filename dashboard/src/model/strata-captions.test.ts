import { expect, test } from "vitest";
import type { StrataColumn } from "../api/strata-types.ts";
import { foldLabel, strataSummary } from "./strata-captions.ts";

const NEWEST: StrataColumn = {
  index: 81,
  at: 0,
  promptTokens: 18_400,
  hiddenTokens: 135_000,
  foldIds: [],
  reason: "fits",
};

test("sums a session up in a sentence, from the first message to the last fold", () => {
  expect(strataSummary(172, NEWEST)).toBe(
    "172 messages in 82 requests. The newest request sent 18.4k tokens; 135k more were hidden from it, and are kept word for word: open a row to read it, or to bring it back.",
  );
  expect(strataSummary(3, { ...NEWEST, index: 0, hiddenTokens: 0 })).toBe(
    "3 messages in one request. The newest request sent 18.4k tokens, and nothing was hidden from it.",
  );
  const { hiddenTokens: _, ...unknown } = NEWEST;
  expect(strataSummary(3, unknown)).toBe("3 messages in 82 requests. The newest request sent 18.4k tokens.");
  expect(strataSummary(1, undefined)).toBe("One message; no request has been recorded yet.");
});

test("a fold is named by its cause, or by the request's decision, each cause once", () => {
  const fold = (cause?: string) => ({ foldId: "a", ...(cause === undefined ? {} : { cause }) });
  expect(foldLabel([fold("pays")], "limit")).toBe("saves money");
  expect(foldLabel([fold(), fold(), fold("hand")], "limit")).toBe("did not fit, by hand");
  expect(foldLabel([fold("a new cause")], "limit")).toBe("a new cause");
});
