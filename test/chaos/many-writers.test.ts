import { join } from "node:path";
import { expect, test } from "vitest";
import { describePostgres, freshSchema } from "../support/postgres-database.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { tellFigures } from "./chaos-size.ts";
import { letCrowdWrite } from "./crowd.ts";

test("many processes on one SQLite file lose nothing of each other's", async () => {
  const figures = await letCrowdWrite({ type: "sqlite", path: join(temporaryFolder(), "store.db") });
  tellFigures("many writers, one SQLite file", { ...figures });
  expect(figures.acknowledgedAppends).toBeGreaterThan(figures.writers);
});

await describePostgres("PostgreSQL", (connectionString) => {
  test("many processes on one server lose nothing of each other's", async () => {
    const figures = await letCrowdWrite({ type: "postgres", connectionString, schema: freshSchema(connectionString) });
    tellFigures("many writers, one PostgreSQL", { ...figures });
    expect(figures.acknowledgedAppends).toBeGreaterThan(figures.writers);
  });
});
