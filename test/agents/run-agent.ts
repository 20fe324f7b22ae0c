import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import type { Agent, LaunchOptions } from "./agent.ts";

export interface AgentRun {
  /** Undefined where it was ended because its time was over. */
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunAgentOptions extends LaunchOptions {
  readonly executable: string;
  /** A command that starts it, with its arguments. @default none: it is started itself */
  readonly starter?: readonly string[];
  readonly workingFolder: string;
  /** Folders with programs that it would download else. @default none */
  readonly programFolders?: readonly string[];
}

const TIMEOUT_MS = 180_000;

/** Starts an agent for one prompt and waits for its end. */
export async function runAgent(agent: Agent, options: RunAgentOptions): Promise<AgentRun> {
  const { home, executable, workingFolder, starter = [], programFolders = [] } = options;
  const launch = agent.launch(options);
  for (const [path, text] of Object.entries(launch.files ?? {})) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  }
  const [program = executable, ...programArguments] = [...starter, executable, ...launch.arguments];
  const child = spawn(program, programArguments, {
    cwd: workingFolder,
    env: { ...neutralEnvironment(home, programFolders), ...launch.environment },
    stdio: ["ignore", "pipe", "pipe"],
    // A group of its own: agents start programs that must end with them.
    detached: true,
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const timer = setTimeout(() => endGroup(child.pid), TIMEOUT_MS);
  try {
    const [exitCode]: unknown[] = await once(child, "close");
    return { exitCode: typeof exitCode === "number" ? exitCode : undefined, stdout, stderr };
  } finally {
    clearTimeout(timer);
  }
}

/** Where programs are, and nothing else of who runs the tests: no keys, no proxies, no settings. */
export function neutralEnvironment(home: string, programFolders: readonly string[] = []): Record<string, string> {
  const path = [process.env.PATH ?? "", ...programFolders].join(delimiter);
  return { PATH: path, HOME: home, LANG: "C.UTF-8", TERM: "dumb", NO_COLOR: "1" };
}

function endGroup(processId: number | undefined): void {
  if (processId === undefined) return;
  try {
    process.kill(-processId, "SIGKILL");
  } catch {
    // it ended in the meantime
  }
}
