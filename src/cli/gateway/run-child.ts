import { type ChildProcess, spawn } from "node:child_process";
import { constants } from "node:os";
import type { Environment } from "../terminal/output.ts";

/** How a program ended. */
export type ChildOutcome =
  /** 128 + n where signal n ended it, as shells say it. */
  | { readonly type: "ended"; readonly exitCode: number }
  /** 127 where there is no such program, 126 where it may not be run, as shells say it. */
  | { readonly type: "not-started"; readonly exitCode: 126 | 127; readonly why: string };

/** Runs a program in the foreground, with our terminal, and hands on the signals that we get. */
export async function runChild(command: readonly string[], environment: Environment): Promise<ChildOutcome> {
  const [program = "", ...given] = command;
  // Before the program runs: a signal that came between would end us and leave it alone.
  const stopForwarding = forwardSignals((signal) => child.kill(signal));
  const child = spawn(program, given, { stdio: "inherit", env: { ...environment } });
  try {
    return await outcomeOf(child, program);
  } finally {
    stopForwarding();
  }
}

function outcomeOf(child: ChildProcess, program: string): Promise<ChildOutcome> {
  return new Promise((resolve) => {
    child.on("error", (error: NodeJS.ErrnoException) => {
      // A signal that could not be handed on is no failure of the program.
      if (child.pid !== undefined) return;
      const isThere = error.code !== "ENOENT";
      const why = isThere
        ? `cannot start ${program}: ${error.message}`
        : `there is no program ${JSON.stringify(program)}. Is it installed, and in your PATH?`;
      resolve({ type: "not-started", exitCode: isThere ? 126 : 127, why });
    });
    child.on("exit", (code, signal) => {
      const exitCode = signal === null ? (code ?? 0) : 128 + constants.signals[signal];
      resolve({ type: "ended", exitCode });
    });
  });
}

/** What a terminal sends to every program that runs in it, when a person presses a key. */
const FROM_TERMINAL: readonly NodeJS.Signals[] = ["SIGINT", "SIGQUIT"];
const SIGNALS: readonly NodeJS.Signals[] = [...FROM_TERMINAL, "SIGTERM", "SIGHUP"];
/** npx hands a signal on to us that the whole group has got, us included: so soon after it, one for us alone is the same one. */
const SAME_SIGNAL_MS = 1_000;

/**
 * We live as long as the program does, and it gets each signal once: one that came to us alone is handed on, and one for the whole process group has
 * reached it already.
 */
function forwardSignals(handOn: (signal: NodeJS.Signals) => void): () => void {
  const witness = startGroupWitness(SIGNALS);
  const isInTerminal = [process.stdin, process.stdout, process.stderr].some(({ isTTY }) => isTTY === true);
  const lastForGroup = new Map<NodeJS.Signals, number>();
  const forward = async (signal: NodeJS.Signals) => {
    const arrivedAt = performance.now();
    const isForGroup = (await witness.sawSignal(signal)) ?? (isInTerminal && FROM_TERMINAL.includes(signal));
    if (isForGroup) lastForGroup.set(signal, arrivedAt);
    else if (arrivedAt - (lastForGroup.get(signal) ?? Number.NEGATIVE_INFINITY) > SAME_SIGNAL_MS) handOn(signal);
  };
  for (const signal of SIGNALS) process.on(signal, forward);
  return () => {
    for (const signal of SIGNALS) process.off(signal, forward);
    witness.dispose();
  };
}

/** A process in our own process group that tells us which signals reach it: those are sent to the whole group, the agent included. */
interface GroupWitness {
  /** Whether the group got this signal too; undefined where the witness does not answer. */
  sawSignal(signal: NodeJS.Signals): Promise<boolean | undefined>;
  dispose(): void;
}

/**
 * Says the name of each signal and repeats each line that it is sent. A signal is said before a line that was sent after it: a shell runs a trap
 * before its next command. A signal may end a `read`, as the end of its input does for good.
 */
const script = (signals: readonly NodeJS.Signals[]) =>
  `${signals.map((signal) => `trap 'echo ${signal}' ${signal.slice(3)}`).join("; ")}
failures=0
while [ $failures -lt 9 ]; do
  if read -r line; then echo "$line"; failures=0; else failures=$((failures + 1)); fi
done`;

const ANSWER_TIMEOUT_MS = 1_000;

/** It ends when `dispose` is called, and also when we die: its input ends then. */
function startGroupWitness(signals: readonly NodeJS.Signals[]): GroupWitness {
  const child = spawn("sh", ["-c", script(signals)], { stdio: ["pipe", "pipe", "ignore"], env: {} });
  // What stands in the way of starting it, or of writing to it, shows in that no answer comes.
  for (const part of [child, child.stdin, child.stdout]) part.on("error", () => undefined);
  child.unref();
  const lines = new Set<string>();
  const heard = createListeners();
  let rest = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    const parts = (rest + text).split("\n");
    rest = parts.pop() ?? "";
    for (const line of parts) lines.add(line);
    heard.call();
  });
  let questions = 0;
  return {
    async sawSignal(signal) {
      questions += 1;
      const answer = `${questions}`;
      child.stdin.write(`${answer}\n`);
      const hasAnswered = await heard.until(() => lines.delete(answer), ANSWER_TIMEOUT_MS);
      return hasAnswered ? lines.delete(signal) : undefined;
    },
    dispose: () => endWitness(child),
  };
}

function endWitness(child: ChildProcess): void {
  child.stdin?.destroy();
  child.stdout?.destroy();
  child.kill("SIGKILL");
}

/** Whoever waits for something is called each time that it may have come. */
function createListeners() {
  const waiting = new Set<() => void>();
  return {
    call: () => {
      for (const check of waiting) check();
    },
    until: (isThere: () => boolean, timeoutMs: number) =>
      new Promise<boolean>((resolve) => {
        const end = (result: boolean) => {
          clearTimeout(timer);
          waiting.delete(check);
          resolve(result);
        };
        const check = () => {
          if (isThere()) end(true);
        };
        const timer = setTimeout(() => end(false), timeoutMs);
        waiting.add(check);
        check();
      }),
  };
}
