import { test } from "vitest";
import { describePostgres, emptySchema, runSql } from "../../../test/support/postgres-database.ts";
import type { Store } from "../../core/ports/store.ts";
import { damageStoreContract, type StoredPlace } from "../../testing/store-contract/damage-cases.ts";
import { durableStoreContract } from "../../testing/store-contract/durable-cases.ts";
import { storeContract } from "../../testing/store-contract/store-contract.ts";
import { postgresStore } from "./index.ts";

await describePostgres("the store's contract on PostgreSQL", (connectionString) => {
  function openerOf(schema: string): () => Promise<Store> {
    return async () => postgresStore({ connectionString, schema });
  }

  for (const { name, run } of storeContract) {
    test(name, () => run(openerOf(emptySchema(connectionString))));
  }

  for (const { name, run } of durableStoreContract) {
    test(name, () => {
      const open = openerOf(emptySchema(connectionString));
      return run({ open, reopen: open });
    });
  }

  for (const { name, run } of damageStoreContract) {
    test(name, () => {
      const schema = emptySchema(connectionString);
      const damage = async (place: StoredPlace) => {
        await runSql(connectionString, `SET search_path TO "${schema}"; ${damageSql(place)}`);
      };
      return run({ open: openerOf(schema), damage });
    });
  }
});

function damageSql(place: StoredPlace): string {
  const session = `session_key = ${place.sessionKey}`;
  const set = "SET body = overlay(body placing 'x' from 3 for 1)";
  switch (place.type) {
    case "record":
      return `UPDATE records ${set} WHERE ${session} AND version = ${place.version}`;
    case "checkpoint":
      return `UPDATE checkpoints ${set} WHERE ${session} AND id = '${place.id}'`;
    case "session":
      return `UPDATE sessions SET rewrite_version = rewrite_version + 1 WHERE key = ${place.sessionKey}`;
  }
}
