import { expect, test } from "vitest";
import type { ExpandedFold } from "../api/types.ts";
import { restoreChoices } from "./restore-choices.ts";

const message = (id: string, hiddenBy?: string) => {
  return { id, role: "user" as const, content: id, tokens: 1, ...(hiddenBy === undefined ? {} : { hiddenBy }) };
};

const FOLD: ExpandedFold = {
  foldId: "condense 1",
  kind: "condense",
  messages: 3,
  blocks: 0,
  standIns: [message("summary")],
  hidden: [message("m1"), message("m2"), message("m3")],
  total: 3,
};

test("a message alone, or the whole fold, each with its price", () => {
  expect(restoreChoices(FOLD, "m2")).toEqual([
    { label: "Only this message", target: { from: "m2", to: "m2" }, pricePath: "/price?from=m2&to=m2" },
    {
      label: "All that the fold hides: 3 messages",
      target: { foldId: "condense 1" },
      pricePath: "/folds/condense%201/price",
    },
  ]);
});

test("of a fold that a later one hides, the messages: undoing it alone would show nothing", () => {
  const nested = { ...FOLD, standIns: [message("summary", "condense 2")] };
  expect(restoreChoices(nested, undefined)).toMatchObject([
    { target: { from: "m1", to: "m3" }, pricePath: "/price?from=m1&to=m3" },
  ]);
});

test("parts of messages are brought back with their fold", () => {
  const cleared = { ...FOLD, kind: "clear", messages: 0, blocks: 2, standIns: [], foldId: "clear-1" };
  expect(restoreChoices(cleared, undefined)).toMatchObject([
    { label: "All that the fold hides: 2 parts of messages", target: { foldId: "clear-1" } },
  ]);
});
