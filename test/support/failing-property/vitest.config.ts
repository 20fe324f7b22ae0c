import { defineConfig } from "vitest/config";

/** For the test that a run tells its seed, and a failure again: no other run takes it. */
export default defineConfig({
  test: { include: ["test/support/failing-property/*.property.ts"], globalSetup: ["test/support/property-setup.ts"] },
});
