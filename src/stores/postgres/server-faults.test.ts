import { expect, onTestFinished, test } from "vitest";
import { describePostgres, freshSchema, runSql } from "../../../test/support/postgres-database.ts";
import { postgresStore } from "./index.ts";

await describePostgres("when PostgreSQL refuses an append", (connectionString) => {
  /** A session whose first `count` appends the server refuses. */
  async function refusingStore(sqlState: string, count: number) {
    const schema = freshSchema(connectionString);
    const store = postgresStore({ connectionString, schema });
    onTestFinished(() => store.close());
    const { key } = await store.open("s");
    await runSql(
      connectionString,
      `SET search_path TO "${schema}";
       CREATE SEQUENCE refusals;
       CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
         BEGIN
           IF nextval('"${schema}".refusals') <= ${count} THEN RAISE 'refused' USING ERRCODE = '${sqlState}'; END IF;
           RETURN NEW;
         END $$;
       CREATE TRIGGER refuse BEFORE INSERT ON records FOR EACH ROW EXECUTE FUNCTION refuse()`,
    );
    return { store, key };
  }

  test.each(["40001", "40P01"])("%s is tried again until it goes in, once", async (sqlState) => {
    const { store, key } = await refusingStore(sqlState, 3);
    expect(await store.append(key, [{ body: "1" }])).toEqual({ type: "appended", version: 1, rewriteVersion: 0 });
    expect(await store.read(key)).toHaveLength(1);
  });

  test("those who keep colliding are told after a few attempts", async () => {
    const { store, key } = await refusingStore("40001", 5);
    await expect(store.append(key, [{ body: "1" }])).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringMatching(/nothing was written/),
    });
    expect(await store.read(key)).toEqual([]);
  });

  test("a full disk is told, nothing is half there, and the store goes on when there is room", async () => {
    const { store, key } = await refusingStore("53100", 1);
    await expect(store.append(key, [{ body: "1", terms: ["word"] }, { body: "2" }])).rejects.toMatchObject({
      code: "store-failed",
      message: expect.stringMatching(/disk .* is full, and nothing was written/),
    });
    expect(await store.find("s")).toMatchObject({ version: 0 });
    expect(await store.search(["word"])).toEqual([]);
    expect(await store.append(key, [{ body: "1" }])).toMatchObject({ type: "appended", version: 1 });
  });
});
