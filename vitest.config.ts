import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["{src,test,scripts,bench}/**/*.test.ts"],
    testTimeout: process.env.PALIMPSEST_CHAOS === "full" ? 1_200_000 : 60_000,
    maxWorkers: 2,
    globalSetup: ["test/support/postgres-setup.ts"],
  },
});
