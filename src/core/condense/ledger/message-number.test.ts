import { expect, test } from "vitest";
import { chat, condense } from "../../../../test/support/messages.ts";
import { findByNumber } from "./message-number.ts";

test("a number names the same message before and after folding", () => {
  const before = chat(8);
  const after = condense(before, "s1", ["m1", "m2", "m3"]);
  expect(findByNumber(before, "m5")?.id).toBe("m5");
  expect(findByNumber(after, "m5")?.id).toBe("m5");
  expect(findByNumber(after, "m1")?.id).toBe("m1");
});

test("anything else names nothing", () => {
  for (const name of ["m8", "5", "m-1", "m1.5", "mm", ""]) expect(findByNumber(chat(8), name)).toBeUndefined();
});
