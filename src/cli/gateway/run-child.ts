import { type ChildProcess, spawn } from "node:child_process";
import { constants } from "node:os";
import type { Environment } from "../terminal/output.ts";

/** How a program ended, with the exit code that a shell would give. */
export type ChildOutcome =
  /** The exit code is 128 + n if signal n ended the program. */
  | { readonly type: "ended"; readonly exitCode: number }
  /** The exit code is 127 if there is no such program, 126 if it may not be run. */
  | { readonly type: "not-started"; readonly exitCode: 126 | 127; readonly why: string };

/** Runs a program in the foreground, with our terminal, and forwards the signals that we get to it. */
export async function runChild(command: readonly string[], environment: Environment): Promise<ChildOutcome> {
  const [program = "", ...given] = command;
  // Before the program is started: a signal in between would end us and leave the program running.
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
      // With a pid, the program runs: the error is of a signal that could not be forwarded.
      if (child.pid !== undefined) return;
      const isThere = error.code !== "ENOENT";
      const why = isThere
        ? `cannot start ${program}: ${whyNotStarted(error)}`
        : `there is no program ${JSON.stringify(program)}. Is it installed, and in your PATH?`;
      resolve({ type: "not-started", exitCode: isThere ? 126 : 127, why });
    });
    child.on("exit", (code, signal) => {
      const exitCode = signal === null ? (code ?? 0) : 128 + constants.signals[signal];
      resolve({ type: "ended", exitCode });
    });
  });
}

function whyNotStarted({ code, message }: NodeJS.ErrnoException): string {
  return code === "EACCES" ? "its permissions do not allow it, or it is a folder. Is it the program itself?" : message;
}

/** The signals that a terminal sends to the whole process group when a person presses a key. */
const FROM_TERMINAL: readonly NodeJS.Signals[] = ["SIGINT", "SIGQUIT"];
const SIGNALS: readonly NodeJS.Signals[] = [...FROM_TERMINAL, "SIGTERM", "SIGHUP"];
/** npx forwards to us a signal that the whole group has got, us included: within this time, a signal to us alone counts as the same one. */
const SAME_SIGNAL_MS = 1_000;

/**
 * Catches signals so that we live as long as the program, and forwards them so that the program gets each signal once: a signal to us alone is
 * forwarded, one to the whole process group has reached the program already. Returns a function that stops it.
 */
function forwardSignals(send: (signal: NodeJS.Signals) => void): () => void {
  const witness = startGroupWitness(SIGNALS);
  const isInTerminal = [process.stdin, process.stdout, process.stderr].some(({ isTTY }) => isTTY === true);
  const lastForGroup = new Map<NodeJS.Signals, number>();
  const forward = async (signal: NodeJS.Signals) => {
    const arrivedAt = performance.now();
    const isForGroup = (await witness.sawSignal(signal)) ?? (isInTerminal && FROM_TERMINAL.includes(signal));
    if (isForGroup) lastForGroup.set(signal, arrivedAt);
    else if (arrivedAt - (lastForGroup.get(signal) ?? Number.NEGATIVE_INFINITY) > SAME_SIGNAL_MS) send(signal);
  };
  for (const signal of SIGNALS) process.on(signal, forward);
  return () => {
    for (const signal of SIGNALS) process.off(signal, forward);
    witness.dispose();
  };
}

/** A helper process in our process group. Signals that reach it were sent to the whole group, the agent included. */
interface GroupWitness {
  /** Whether the signal reached the whole group; undefined if the helper process does not answer. */
  sawSignal(signal: NodeJS.Signals): Promise<boolean | undefined>;
  dispose(): void;
}

/**
 * The shell script of the helper process: it prints the name of each signal that it gets, and echoes each line that it is sent. A signal is printed
 * before a line that was sent after it, because a shell runs a trap before its next command. A signal may interrupt `read`, so that a few failures
 * are allowed before they count as the end of input.
 */
const script = (signals: readonly NodeJS.Signals[]) =>
  `${signals.map((signal) => `trap 'echo ${signal}' ${signal.slice(3)}`).join("; ")}
failures=0
while [ $failures -lt 9 ]; do
  if read -r line; then echo "$line"; failures=0; else failures=$((failures + 1)); fi
done`;

const ANSWER_TIMEOUT_MS = 1_000;

/** Starts the helper process. It ends when `dispose` is called, and also when we die, because its input ends then. */
function startGroupWitness(signals: readonly NodeJS.Signals[]): GroupWitness {
  const child = spawn("sh", ["-c", script(signals)], { stdio: ["pipe", "pipe", "ignore"], env: {} });
  // Errors are ignored: a process that cannot be started or written to gives no answer.
  for (const part of [child, child.stdin, child.stdout]) part.on("error", () => undefined);
  child.unref();
  const lines = new Set<string>();
  const newLines = createCondition();
  let rest = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    const parts = (rest + text).split("\n");
    rest = parts.pop() ?? "";
    for (const line of parts) lines.add(line);
    newLines.notify();
  });
  let questions = 0;
  return {
    async sawSignal(signal) {
      questions += 1;
      const answer = `${questions}`;
      child.stdin.write(`${answer}\n`);
      const hasAnswered = await newLines.waitUntil(() => lines.delete(answer), ANSWER_TIMEOUT_MS);
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

/** A condition variable: `waitUntil` checks its predicate at each `notify`, and resolves with false after the timeout. */
function createCondition() {
  const waiting = new Set<() => void>();
  return {
    notify: () => {
      for (const check of waiting) check();
    },
    waitUntil: (isThere: () => boolean, timeoutMs: number) =>
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
