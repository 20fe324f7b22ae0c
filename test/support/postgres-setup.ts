import { once } from "node:events";
import { createServer } from "node:http";
import { type PostgresServer, startPostgresServer } from "./postgres-server.ts";

/** Where tests ask for the server; see {@link findPostgres}. */
export const DOOR_VARIABLE = "PALIMPSEST_TEST_POSTGRES_DOOR";

/** One PostgreSQL for a whole run, started when the first test file asks for it: runs that need none pay nothing. Nobody crashes it. */
export default async function setUpPostgres(): Promise<() => Promise<void>> {
  let starting: Promise<PostgresServer> | undefined;
  const door = createServer((_, response) => {
    starting ??= startPostgresServer({ isDurable: false });
    starting.then(
      ({ connectionString }) => response.end(connectionString),
      (error: Error) => response.writeHead(503).end(error.message),
    );
  });
  door.listen(0, "127.0.0.1");
  await once(door, "listening");
  const address = door.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  process.env[DOOR_VARIABLE] = `http://127.0.0.1:${port}`;
  return async () => {
    door.close();
    door.closeAllConnections();
    const server = await starting?.catch(() => undefined);
    await server?.remove();
  };
}
