import { defineConfig } from "vitest/config";
import { type TestRun, testProjects } from "./scripts/test-selection.ts";

const { PALIMPSEST_CHAOS, PALIMPSEST_AGENTS } = process.env;
const run: TestRun = PALIMPSEST_CHAOS === "full" ? "chaos" : PALIMPSEST_AGENTS === "on" ? "agents" : "short";
/** For what never ends: nothing else takes as long, on a busy machine neither. */
const limitMs = run === "short" ? 600_000 : 1_200_000;

export default defineConfig({
  test: {
    maxWorkers: 3,
    globalSetup: [
      "test/support/compile-cache-setup.ts",
      "test/support/property-setup.ts",
      "test/support/postgres-setup.ts",
    ],
    testTimeout: limitMs,
    hookTimeout: limitMs,
    teardownTimeout: limitMs,
    expect: { poll: { timeout: 300_000 } },
    projects: testProjects(run).map(({ name, include, exclude }) => ({
      extends: true,
      test: { name, include: [...include], exclude: [...exclude], isolate: name === "isolated" },
    })),
  },
});
