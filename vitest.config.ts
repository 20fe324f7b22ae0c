import { defineConfig } from "vitest/config";
import { type TestRun, testProjects } from "./scripts/test-selection.ts";

const { PALIMPSEST_CHAOS, PALIMPSEST_AGENTS } = process.env;
const run: TestRun = PALIMPSEST_CHAOS === "full" ? "chaos" : PALIMPSEST_AGENTS === "on" ? "agents" : "short";
/** For what never ends: nothing else takes as long, on a busy machine neither. */
const limitMs = run === "short" ? 600_000 : 3_000_000;

/** A process that runs hundreds of files makes much that is soon garbage: with more room for it, 4 to 11 % less of the processor's time is needed. */
const SHARED_PROCESS = ["--max-semi-space-size=64", "--max-old-space-size=8192"];

export default defineConfig({
  test: {
    maxWorkers: 3,
    // Node reads our TypeScript by itself. Vite would turn each use of an import into the call of a getter, also where a loop goes over bytes.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    globalSetup: [
      "test/support/temporary-folder-setup.ts",
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
      test: {
        name,
        include: [...include],
        exclude: [...exclude],
        isolate: name === "isolated",
        execArgv: name === "shared" ? SHARED_PROCESS : [],
      },
    })),
  },
});
