import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { describePostgres, freshSchema, runSql } from "../support/postgres-database.ts";
import { sized, tellFigures } from "./chaos-size.ts";
import { killWriters } from "./kill-writers.ts";

const LIVES_PER_SESSION = 20;

await describePostgres("PostgreSQL, when clients are killed", (connectionString) => {
  /** The address under a name by which the server knows our connections from those of others. */
  function namedAddress(name: string): string {
    const url = new URL(connectionString);
    url.searchParams.set("application_name", name);
    return url.href;
  }

  /** The server goes on with what a killed client had sent; what it shows in the meantime is not the end. */
  async function untilGone(name: string): Promise<void> {
    const question = "SELECT 1 FROM pg_stat_activity WHERE application_name = $1";
    while ((await runSql(connectionString, question, [name])).length > 0) await delay(5);
  }

  test("what a killed process was told is there", async () => {
    const schema = freshSchema(connectionString);
    const place = { type: "postgres", connectionString: namedAddress(schema), schema } as const;
    const figures = await killWriters({
      title: "PostgreSQL clients",
      kills: sized({ full: 60, short: 3 }),
      lifeOf: (kill) => ({
        place,
        session: `session-${Math.floor(kill / LIVES_PER_SESSION)}`,
        longestMs: 500,
        opensFirst: true,
      }),
      settle: () => untilGone(schema),
    });
    tellFigures("kill -9, PostgreSQL clients", { ...figures });
    expect(figures.kills).toBeGreaterThan(0);
  });

  test("a process that is killed while it makes its tables leaves a schema that works", async () => {
    const schemas = Array.from({ length: sized({ full: 15, short: 1 }) }, () => freshSchema(connectionString));
    const figures = await killWriters({
      title: "new PostgreSQL schemas",
      kills: schemas.length,
      lifeOf: (kill) => {
        const schema = schemas[kill] ?? "";
        const named = namedAddress("chaos-new-schemas");
        const place = { type: "postgres", connectionString: named, schema } as const;
        return { place, session: "session", longestMs: 250, opensFirst: false };
      },
      settle: () => untilGone("chaos-new-schemas"),
    });
    tellFigures("kill -9, a new PostgreSQL schema each time", { ...figures });
    expect(figures.kills).toBe(schemas.length);
  });
});
