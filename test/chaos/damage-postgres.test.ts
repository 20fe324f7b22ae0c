import { expect, test } from "vitest";
import { describePostgres, freshSchema, runSql } from "../support/postgres-database.ts";
import { findKnownSession, makeKnownSession } from "./known-session.ts";
import { openStore } from "./open-store.ts";

await describePostgres("a session in a PostgreSQL that someone edited", (connectionString) => {
  async function makeSession() {
    const place = { type: "postgres", connectionString, schema: freshSchema(connectionString) } as const;
    const store = openStore(place);
    const states = await makeKnownSession(store);
    await store.close();
    const edit = (sql: string) => runSql(connectionString, `SET search_path TO "${place.schema}"; ${sql}`);
    return { place, edit, known: [...states.values()].at(-1) };
  }

  test("is refused until the edit is taken back, and is then what it was", async () => {
    const { place, edit, known } = await makeSession();
    await edit("CREATE TABLE copies AS SELECT * FROM records; CREATE TABLE session_copies AS SELECT * FROM sessions");
    const takeBack = `DELETE FROM records; INSERT INTO records SELECT * FROM copies;
      UPDATE sessions SET (version, rewrite_version) = (SELECT version, rewrite_version FROM session_copies)`;
    for (const sql of [
      "UPDATE records SET body = replace(body, 'end', 'END') WHERE version = 9",
      "DELETE FROM records WHERE version = 9",
      "DELETE FROM records WHERE version = (SELECT max(version) FROM records)",
      "UPDATE records SET is_rewrite = NOT is_rewrite WHERE version = 12",
      "UPDATE sessions SET version = version - 1",
      "UPDATE sessions SET rewrite_version = 0",
      "UPDATE records SET version = version + 1000 WHERE version = 30",
    ]) {
      await edit(sql);
      expect(await findKnownSession(place), sql).toMatchObject({ type: "refused", code: "store-damaged" });
      await edit(takeBack);
      expect(await findKnownSession(place), sql).toMatchObject({ type: "read" });
    }
    expect(await findKnownSession(place)).toMatchObject({ type: "read", bytes: known });
  });

  test("with a schema from the future is refused", async () => {
    const { place, edit } = await makeSession();
    await edit("INSERT INTO schema_versions (version, applied_at) VALUES (99, now())");
    expect(await findKnownSession(place)).toMatchObject({ type: "refused", code: "store-too-new" });
  });
});
