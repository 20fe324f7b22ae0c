import { expect, test } from "vitest";
import { assistant, log, user } from "../../../../test/support/messages.ts";
import { logBlocks } from "./log-blocks.ts";
import { spokenOf, spokenShare } from "./spoken-of.ts";

const { words } = spokenOf(
  logBlocks(log(user("Why is the tide table empty?"), assistant("loadRates() returns nothing."))),
);

test("a name is spoken of as far as its words are, however it joins them", () => {
  expect(spokenShare("tide_table", words)).toBe(1);
  expect(spokenShare("tideHarbour", words)).toBe(0.5);
  expect(spokenShare("RATES_PATH", words)).toBe(0.5);
  expect(spokenShare("openStore", words)).toBe(0);
});

test("a name without words is not", () => {
  expect(spokenShare("8443", words)).toBe(0);
});
