import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

export type ServerCommand = "start" | "stop" | "crash" | "freeze" | "thaw";

export type ServerAnswer =
  | { readonly type: "done"; readonly connectionString: string }
  | { readonly type: "failed"; readonly reason: string };

/** A real PostgreSQL with data of its own. It ends with this process, also where nobody calls `remove`. */
export interface PostgresServer {
  readonly connectionString: string;
  /** After `stop` or `crash`, on the same port and data. */
  start(): Promise<void>;
  /** Ends every connection, in good order. */
  stop(): Promise<void>;
  /** Ends every process of the server at once, as a power failure would. */
  crash(): Promise<void>;
  /** Stops every process of the server where it is (SIGSTOP): connections stay open, and nothing is answered. */
  freeze(): Promise<void>;
  /** Lets a server go on that was frozen. */
  thaw(): Promise<void>;
  /** Stops it and removes its data. */
  remove(): Promise<void>;
}

export interface PostgresServerOptions {
  /** Whether a commit waits until it is on the disk. What no test crashes needs no such wait. @default true */
  readonly isDurable?: boolean;
}

/** The argument of `postgres-process.ts` for a server whose commits do not wait for the disk. */
export const NOT_DURABLE = "not-durable";

/** Takes about three seconds; throws and says why where no server can be started here. */
export async function startPostgresServer({ isDurable = true }: PostgresServerOptions = {}): Promise<PostgresServer> {
  const child = fork(join(import.meta.dirname, "postgres-process.ts"), isDurable ? [] : [NOT_DURABLE], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const remove = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.disconnect();
    await once(child, "exit");
  };
  const command = async (name: ServerCommand) => {
    const answered = nextAnswer(child);
    child.send(name);
    await answered;
  };
  try {
    return {
      connectionString: await nextAnswer(child),
      start: () => command("start"),
      stop: () => command("stop"),
      crash: () => command("crash"),
      freeze: () => command("freeze"),
      thaw: () => command("thaw"),
      remove,
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function nextAnswer(child: ChildProcess): Promise<string> {
  const heard = new AbortController();
  const { signal } = heard;
  const exited = once(child, "exit", { signal }).then(([code]): ServerAnswer => {
    return { type: "failed", reason: `its process ended with code ${code}` };
  });
  const answered = once(child, "message", { signal }).then(([answer]): ServerAnswer => answer);
  const answer = await Promise.race([answered, exited]);
  // A server that is started again and again must not be listened to more and more.
  heard.abort();
  await Promise.allSettled([answered, exited]);
  if (answer.type === "done") return answer.connectionString;
  throw new Error(`PostgreSQL does not start: ${answer.reason}`);
}
