import { defineConfig } from "vitest/config";

/** Tests of pure code share their modules, which saves loading the vocabulary for each file; all others have a process to themselves. */
const PURE = ["src/{core,adapters,transcripts}/**/*.test.ts"];

const testTimeout = process.env.PALIMPSEST_CHAOS === "full" ? 1_200_000 : 60_000;

export default defineConfig({
  test: {
    maxWorkers: 2,
    globalSetup: ["test/support/postgres-setup.ts"],
    projects: [
      { extends: true, test: { name: "pure", include: PURE, isolate: false, testTimeout } },
      {
        extends: true,
        test: { name: "all others", include: ["{src,test,scripts,bench}/**/*.test.ts"], exclude: PURE, testTimeout },
      },
    ],
  },
});
