import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

export interface PostgresServer {
  readonly connectionString: string;
  /** Stops it and removes its data. */
  remove(): Promise<void>;
}

/** The server that `PALIMPSEST_TEST_POSTGRES_URL` names, or one that is started here; undefined where none can be. */
export async function findPostgres(): Promise<PostgresServer | undefined> {
  const connectionString = process.env.PALIMPSEST_TEST_POSTGRES_URL;
  return connectionString ? { connectionString, remove: async () => undefined } : startPostgres();
}

async function startPostgres(): Promise<PostgresServer | undefined> {
  const child = fork(join(import.meta.dirname, "postgres-process.ts"), {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const ended = once(child, "exit");
  const [started] = await Promise.race([once(child, "message"), ended]);
  if (typeof started !== "string") return undefined;
  return {
    connectionString: started,
    remove: async () => {
      child.disconnect();
      await ended;
    },
  };
}
