import { type ChildProcess, spawn } from "node:child_process";
import { constants } from "node:os";
import { CommandError } from "../terminal/command-error.ts";
import type { Environment } from "../terminal/style.ts";

/** How a program ended. */
export type ChildOutcome =
  /** 128 + n where signal n ended it, as shells say it. */
  { readonly type: "ended"; readonly exitCode: number } | { readonly type: "not-found" };

/** Runs a program in the foreground, with our terminal, and hands on the signals that we get. */
export async function runChild(command: readonly string[], environment: Environment): Promise<ChildOutcome> {
  const [program = "", ...given] = command;
  const child = spawn(program, given, { stdio: "inherit", env: { ...environment } });
  const stopForwarding = forwardSignals(child);
  try {
    return await outcomeOf(child, program);
  } finally {
    stopForwarding();
  }
}

function outcomeOf(child: ChildProcess, program: string): Promise<ChildOutcome> {
  return new Promise((resolve, reject) => {
    child.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") resolve({ type: "not-found" });
      // A signal that could not be handed on is no failure of the program.
      else if (child.pid === undefined) {
        reject(new CommandError(1, `run: cannot start ${program}: ${error.message}`));
      }
    });
    child.on("exit", (code, signal) => {
      const exitCode = signal === null ? (code ?? 0) : 128 + constants.signals[signal];
      resolve({ type: "ended", exitCode });
    });
  });
}

/** What a terminal itself sends to every program that runs in it. */
const FROM_TERMINAL: readonly NodeJS.Signals[] = ["SIGINT", "SIGQUIT"];
const ALWAYS: readonly NodeJS.Signals[] = ["SIGTERM", "SIGHUP"];

/** We live as long as the program does; it gets each signal once. */
function forwardSignals(child: ChildProcess): () => void {
  const isInTerminal = [process.stdin, process.stdout, process.stderr].some(({ isTTY }) => isTTY === true);
  const forward = (signal: NodeJS.Signals) => {
    if (!isInTerminal || !FROM_TERMINAL.includes(signal)) child.kill(signal);
  };
  const signals = [...FROM_TERMINAL, ...ALWAYS];
  for (const signal of signals) process.on(signal, forward);
  return () => {
    for (const signal of signals) process.off(signal, forward);
  };
}
