import { test } from "vitest";
import { describePostgres, freshSchema } from "../../../test/support/postgres-database.ts";
import type { Store } from "../../core/ports/store.ts";
import { durableStoreContract } from "../../testing/store-contract/durable-cases.ts";
import { storeContract } from "../../testing/store-contract/store-contract.ts";
import { postgresStore } from "./index.ts";

await describePostgres("the store's contract on PostgreSQL", (connectionString) => {
  function openerOf(schema: string): () => Promise<Store> {
    return async () => postgresStore({ connectionString, schema });
  }

  for (const { name, run } of storeContract) {
    test(name, () => run(openerOf(freshSchema(connectionString))));
  }

  for (const { name, run } of durableStoreContract) {
    test(name, () => {
      const open = openerOf(freshSchema(connectionString));
      return run({ open, reopen: open });
    });
  }
});
