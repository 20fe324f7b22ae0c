import { afterAll, describe, test } from "vitest";
import { type PostgresServer, startPostgresServer } from "./postgres-server.ts";

/** Groups tests that stop and start a PostgreSQL of their own; skips them, and says why, where none can be started. */
export async function describeOwnPostgres(name: string, define: (server: PostgresServer) => void): Promise<void> {
  try {
    const server = await startPostgresServer();
    describe(name, () => {
      afterAll(() => server.remove());
      define(server);
    });
  } catch (error) {
    console.warn(`SKIPPED: ${name}. ${error instanceof Error ? error.message : error}`);
    describe.skip(name, () => {
      test("needs a PostgreSQL server of its own", () => undefined);
    });
  }
}
