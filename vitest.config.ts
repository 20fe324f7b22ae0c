import { defineConfig } from "vitest/config";
import { AGENTS, ISOLATED, LONG } from "./scripts/test-selection.ts";

const { PALIMPSEST_CHAOS, PALIMPSEST_AGENTS } = process.env;
const [isChaos, isAgents] = [PALIMPSEST_CHAOS === "full", PALIMPSEST_AGENTS === "on"];
const FILES = ["{src,test,scripts,bench}/**/*.test.ts"];
const leftOut = [...(isChaos ? [] : LONG), ...(isAgents ? [] : AGENTS)];
/** For what never ends: nothing else takes as long, on a busy machine neither. */
const limitMs = isChaos || isAgents ? 1_200_000 : 600_000;

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
    projects: [
      { extends: true, test: { name: "shared", include: FILES, exclude: [...ISOLATED, ...leftOut], isolate: false } },
      { extends: true, test: { name: "isolated", include: [...ISOLATED], exclude: leftOut } },
    ],
  },
});
