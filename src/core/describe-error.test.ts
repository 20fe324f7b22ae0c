import { expect, test } from "vitest";
import { describeError } from "./describe-error.ts";

test.each<[unknown, string]>([
  [new Error("overloaded"), "overloaded"],
  [new TypeError(""), "TypeError"],
  ["just words", "just words"],
  [{ message: "from another realm" }, "from another realm"],
  [{ name: "AbortError", message: 5 }, "AbortError"],
  [{ code: 5 }, "an object"],
  [undefined, "undefined"],
  [null, "null"],
  [503, "503"],
  [["a"], "an array"],
])("%o is told as %j", (error, told) => {
  expect(describeError(error)).toBe(told);
});

test("what breaks when it is looked at is still told", () => {
  const hostile = new Proxy(
    {},
    {
      get: () => {
        throw new Error("trap");
      },
    },
  );
  expect(describeError(hostile)).toBe("threw something that cannot be read");
});
