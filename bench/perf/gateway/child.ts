/** Processes of a bench: each says its URL when it is ready, and ends with the one that started it. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

export interface Child {
  readonly url: string;
  /** Asks it something, one at a time. */
  ask(question: string): Promise<unknown>;
  /** Waits until it has nothing more to do, and says what all of its threads have used of a processor so far. */
  cpuMicroseconds(): Promise<number>;
  end(): Promise<void>;
}

export interface ChildOptions {
  /** Handed to it as JSON. */
  readonly settings?: unknown;
  /** For Node itself. */
  readonly flags?: readonly string[];
}

/** Starts a file of this folder. */
export async function startChild(fileName: string, { settings = {}, flags = [] }: ChildOptions = {}): Promise<Child> {
  const child = fork(join(import.meta.dirname, fileName), [JSON.stringify(settings)], {
    execArgv: [...flags],
    env: { ...process.env, NODE_ENV: "production" },
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const ended = once(child, "exit");
  const url = await answerOf(child, ended);
  if (typeof url !== "string") throw new Error(`${fileName} ended before it was ready`);
  async function ask(question: string): Promise<unknown> {
    const answer = answerOf(child, ended);
    child.send(question);
    return answer;
  }
  return {
    url,
    ask,
    cpuMicroseconds: async () => Number(await ask("cpu")),
    end: async () => {
      child.disconnect();
      await ended;
    },
  };
}

/** The milliseconds of processor time that a process uses for something until nothing is left to do, without what asking it takes. */
export async function cpuOf(child: Child, act: () => Promise<unknown> | undefined): Promise<number> {
  const before = await child.cpuMicroseconds();
  await act();
  const after = await child.cpuMicroseconds();
  const again = await child.cpuMicroseconds();
  return (after - before - (again - after)) / 1_000;
}

async function answerOf(child: ChildProcess, ended: Promise<unknown>): Promise<unknown> {
  const answer = once(child, "message").then(([message]: unknown[]) => message);
  return Promise.race([answer, ended.then(() => undefined)]);
}

/** Answers the questions of the process that started this one; called in a child. */
export function answerParent(
  answer: (question: unknown) => unknown,
  settle: () => Promise<void> = async () => {},
): void {
  process.on("message", async (question) => {
    await settle();
    process.send?.(question === "cpu" ? cpuMicroseconds() : answer(question));
  });
}

function cpuMicroseconds(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** Called in a child. */
export function stayWithParent(close: () => unknown): void {
  // Whoever stops the bench stops the whole group: first what is open is closed and removed.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => undefined);
  process.once("disconnect", () => {
    void Promise.resolve(close()).finally(() => process.exit());
  });
}
