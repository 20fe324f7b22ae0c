import { defineConfig } from "vitest/config";

/** Tests of pure code share their modules, which saves loading the vocabulary for each file; all others have a process to themselves. */
const PURE = ["src/{core,adapters,transcripts}/**/*.test.ts"];

/** Real agents are installed from the registry and take their time: `npm run test:agents` alone runs them. */
const AGENTS = ["test/agents/**"];

const { PALIMPSEST_CHAOS, PALIMPSEST_AGENTS } = process.env;
const testTimeout = PALIMPSEST_CHAOS === "full" || PALIMPSEST_AGENTS === "on" ? 1_200_000 : 60_000;
const elsewhere = PALIMPSEST_AGENTS === "on" ? PURE : [...PURE, ...AGENTS];

export default defineConfig({
  test: {
    maxWorkers: 2,
    globalSetup: ["test/support/property-setup.ts", "test/support/postgres-setup.ts"],
    projects: [
      { extends: true, test: { name: "pure", include: PURE, isolate: false, testTimeout } },
      {
        extends: true,
        test: {
          name: "all others",
          include: ["{src,test,scripts,bench}/**/*.test.ts"],
          exclude: elsewhere,
          testTimeout,
        },
      },
    ],
  },
});
