import { expect, test } from "vitest";
import { describeFailure } from "./command-error.ts";

test("an old Node is named, with the version that is needed", () => {
  const missing = Object.assign(new Error("No such built-in module: node:sqlite"), {
    code: "ERR_UNKNOWN_BUILTIN_MODULE",
  });
  expect(describeFailure(missing)).toMatch(/^this command needs Node 22\.13 or newer, and this is Node \d/);
});

test("a fault of ours comes with its trace", () => {
  expect(describeFailure(new Error("broken"))).toMatch(/^unexpected failure\nError: broken\n +at /);
});
