import { type ChildProcess, spawn } from "node:child_process";
import { constants } from "node:os";
import type { Environment } from "../terminal/style.ts";

/** How a program ended. */
export type ChildOutcome =
  /** 128 + n where signal n ended it, as shells say it. */
  | { readonly type: "ended"; readonly exitCode: number }
  /** 127 where there is no such program, 126 where it may not be run, as shells say it. */
  | { readonly type: "not-started"; readonly exitCode: 126 | 127; readonly why: string };

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
