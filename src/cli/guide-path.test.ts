import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { guidePath } from "./guide-path.ts";

test("a guide is named by a path that can be opened, short where it is below the working folder", () => {
  const repository = resolve(import.meta.dirname, "../..");
  expect(guidePath("agents", repository)).toBe(join("docs", "guides", "agents.md"));
  expect(guidePath("agents", join(repository, "examples"))).toBe(join(repository, "docs/guides/agents.md"));
  expect(existsSync(guidePath("agents"))).toBe(true);
});
