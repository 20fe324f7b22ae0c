import { expect, test } from "vitest";
import { describeFailure } from "./command-error.ts";

test("a Node without SQLite is named as that", () => {
  const missing = Object.assign(new Error("No such built-in module: node:sqlite"), {
    code: "ERR_UNKNOWN_BUILTIN_MODULE",
  });
  expect(describeFailure(missing)).toMatch(/^this command needs SQLite, and this Node \d/);
});

test("a fault of ours comes with its trace", () => {
  expect(describeFailure(new Error("broken"))).toMatch(/^unexpected failure\nError: broken\n +at /);
});
