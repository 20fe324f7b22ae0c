import { expect, test } from "vitest";
import { startModelServer } from "../../testing/index.ts";
import { openGatewayStore } from "./gateway-store.ts";

test("a database server that cannot be used yet is a note, and the gateway starts", async () => {
  // A port that was free a moment ago.
  const server = await startModelServer();
  const { host } = new URL(server.url);
  await server.close();
  const connectionString = `postgres://anna:s3cret@${host}/talks`;
  const { location, notes, store } = await openGatewayStore({ type: "postgres", connectionString });
  await store.close();
  expect(location.type).toBe("postgres");
  expect(notes).toEqual([
    expect.stringMatching(/^the sessions of this gateway are kept in memory until the database /),
  ]);
  expect(notes[0]).not.toContain("s3cret");
});
