import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "./temporary-folder.ts";

describe("a temporary folder", () => {
  let folder = "";

  test("is there until the test and all that it opened later have ended", () => {
    folder = temporaryFolder();
    writeFileSync(join(folder, "file"), "of the test");
    onTestFinished(() => expect(existsSync(join(folder, "file"))).toBe(true));
  });

  // The files of a process share the helper: it must not matter which of them loaded it first.
  test("is gone after it", () => {
    expect(folder).not.toBe("");
    expect(existsSync(folder)).toBe(false);
  });
});
