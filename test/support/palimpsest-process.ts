import { type ChildProcess, type StdioNull, type StdioPipe, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Readable } from "node:stream";
import type { GatewayLimits } from "../../src/gateway/index.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const NO_INPUT: [StdioNull, StdioPipe, StdioPipe] = ["ignore", "pipe", "pipe"];

/**
 * The program's first file. `npm test` has just built it, and says so by this variable: built, it starts in a third of the processor's
 * time, and is what people install. A test file that runs by itself has the sources, which are never stale.
 */
export const PALIMPSEST_MAIN = resolve(
  import.meta.dirname,
  "../..",
  process.env.PALIMPSEST_TEST_MAIN ?? "src/cli/main.ts",
);

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
  /** Sends the signal to its whole process group, as a terminal does. */
  killGroup(signal: NodeJS.Signals): void;
  /** Types at its terminal, where it has one. */
  type(text: string): void;
  readonly ended: Promise<ProcessEnd>;
}

/** Starts `palimpsest` with no terminal and in a process group of its own. @default environment and folder those of this process */
export function startPalimpsest(
  given: readonly string[],
  environment: Readonly<Record<string, string | undefined>> = {},
  folder = process.cwd(),
): PalimpsestProcess {
  const env = { ...process.env, ...environment };
  return follow(
    spawn(process.execPath, [PALIMPSEST_MAIN, ...given], { cwd: folder, detached: true, env, stdio: NO_INPUT }),
  );
}

/**
 * Options of `up`, within a test. How long a busy machine takes must not decide what becomes of a request: one whose turn is late goes out
 * unfolded, and what a late store is not given in time is kept in memory alone.
 */
export function unhurried(more: Partial<GatewayLimits> = {}): readonly string[] {
  const path = join(temporaryFolder(), "gateway.json");
  writeFileSync(path, JSON.stringify({ limits: { turnTimeoutMs: 400_000, storeTimeoutMs: 60_000, ...more } }));
  return ["--config", path];
}

/** Starts `palimpsest` in a terminal of its own, which script(1) makes; what it shows there is standard output. */
export function startInTerminal(given: readonly string[]): PalimpsestProcess {
  const command = [process.execPath, PALIMPSEST_MAIN, ...given]
    .map((word) => `'${word.replaceAll("'", "'\\''")}'`)
    .join(" ");
  return follow(spawn("script", ["-qec", `exec ${command}`, "/dev/null"], { detached: true }));
}

function follow(child: ChildProcess & { readonly stdout: Readable; readonly stderr: Readable }): PalimpsestProcess {
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
    killGroup: (signal) => process.kill(-(child.pid ?? Number.NaN), signal),
    type: (text) => child.stdin?.write(text),
    ended,
  };
}

/** Runs `palimpsest` to its end, with no terminal. */
export function runPalimpsest(
  ...given: readonly string[]
): Pick<ProcessEnd, "stdout" | "stderr"> & { status: number | null } {
  const { status, stdout, stderr } = spawnSync("node", [PALIMPSEST_MAIN, ...given], { encoding: "utf8" });
  return { status, stdout, stderr };
}
