import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";

const MAIN = resolve(import.meta.dirname, "../../src/cli/main.ts");

export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The real program while it runs. */
export interface PalimpsestProcess {
  /** Resolves with all of standard output when it matches. */
  shows(pattern: RegExp): Promise<string>;
  kill(signal: NodeJS.Signals): void;
  readonly ended: Promise<ProcessEnd>;
}

/** Starts `palimpsest` with no terminal and in a process group of its own. @default environment and folder those of this process */
export function startPalimpsest(
  given: readonly string[],
  environment: Readonly<Record<string, string | undefined>> = {},
  folder = process.cwd(),
): PalimpsestProcess {
  const child = spawn(process.execPath, [MAIN, ...given], {
    cwd: folder,
    detached: true,
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const ended = once(child, "close").then(([code, signal]) => ({ code, signal, stdout, stderr }));
  return {
    async shows(pattern) {
      while (!pattern.test(stdout)) {
        const heard = once(child.stdout, "data").then(() => "heard");
        const what = await Promise.race([heard, ended]);
        if (what !== "heard" && !pattern.test(stdout)) {
          throw new Error(`It ended without showing ${pattern}: ${stdout}${stderr}`);
        }
      }
      return stdout;
    },
    kill: (signal) => child.kill(signal),
    ended,
  };
}
