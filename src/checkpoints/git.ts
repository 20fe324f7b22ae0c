import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { PalimpsestError } from "../core/errors.ts";

export interface GitOptions {
  /** The working directory of the command. @default the shadow repository */
  readonly folder?: string;
  /** @default none, as in a bare repository */
  readonly workTree?: string;
  /** The file name of another index in the shadow repository. @default its own index */
  readonly index?: string;
  readonly input?: string | Buffer;
  readonly environment?: Readonly<Record<string, string>>;
  readonly settings?: Readonly<Record<string, string>>;
  /** Longer output is truncated, and git is stopped. @default a failure at one gigabyte */
  readonly outputLimitBytes?: number;
  /** Exit codes besides 0 that are no failure. @default none */
  readonly answers?: readonly number[];
}

export interface GitProgram {
  readonly git: string;
  /** Kills every running git when it is aborted. */
  readonly signal?: AbortSignal | undefined;
  /** Called with the process id of each git that is started. */
  readonly onStart?: (pid: number) => void;
}

/** Runs git on the shadow repository and returns its output. */
export type RunGit = (args: readonly string[], options?: GitOptions) => Promise<Buffer>;

const OLDEST_GIT = [2, 25] as const;
const LARGEST_OUTPUT_BYTES = 2 ** 30;
const LONGEST_RUN_MS = 600_000;
const LONGEST_COMPLAINT = 400;

/** Override the user's configuration, so that files are saved and restored byte for byte, and none of the user's hooks or programs run. */
const SETTINGS: Readonly<Record<string, string>> = {
  "core.autocrlf": "false",
  "core.safecrlf": "false",
  "core.fsmonitor": "false",
  "core.untrackedCache": "false",
  "core.splitIndex": "false",
  "core.sparseCheckout": "false",
  "core.quotePath": "false",
  "core.precomposeUnicode": "false",
  "core.longPaths": "true",
  "core.logAllRefUpdates": "false",
  // Names that are dangerous on other systems only are allowed; `.git` is refused in any case.
  "core.protectHFS": String(process.platform === "darwin"),
  "core.protectNTFS": String(process.platform === "win32"),
  "commit.gpgSign": "false",
  "init.defaultBranch": "none",
  "gc.auto": "0",
  "maintenance.auto": "false",
};

/** Runs git on one shadow repository, isolated from the caller's environment and configuration. */
export function gitOn(gitFolder: string, { git, onStart, signal }: GitProgram): RunGit {
  return (args, options = {}) => {
    const settings = { ...SETTINGS, "core.hooksPath": join(gitFolder, "no-hooks"), ...options.settings };
    const configured = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    return execute(git, [...configured, ...args], {
      ...options,
      onStart,
      signal,
      command: args[0] ?? "",
      folder: options.folder ?? gitFolder,
      environment: {
        ...environmentFor(gitFolder),
        GIT_DIR: gitFolder,
        ...(options.workTree === undefined ? {} : { GIT_WORK_TREE: options.workTree }),
        ...(options.index === undefined ? {} : { GIT_INDEX_FILE: join(gitFolder, options.index) }),
        ...options.environment,
      },
    });
  };
}

/** The major and minor version of git; throws where git is missing or too old. */
export async function assertGit(git: string, signal?: AbortSignal): Promise<readonly [number, number]> {
  const output = await execute(git, ["--version"], { command: "--version", environment: environmentFor(""), signal });
  const [major = 0, minor = 0] = (/(?<!\d)(\d+)\.(\d+)/.exec(output.toString()) ?? []).slice(1).map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_GIT;
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return [major, minor];
  const found = output.toString().trim() || "no version";
  throw new PalimpsestError(
    "checkpoint-failed",
    `Checkpoints need git ${OLDEST_GIT.join(".")} or newer, and "${git}" says: ${found}. Install a newer git, or pass its path as \`git\`.`,
  );
}

/** The environment of git, without the caller's GIT_ variables: the caller may itself run inside git, in a hook. */
function environmentFor(gitFolder: string): Record<string, string | undefined> {
  const inherited = Object.entries(process.env).filter(([name]) => !/^GIT_/i.test(name));
  return {
    ...Object.fromEntries(inherited),
    // For git before 2.32, which does not support GIT_CONFIG_GLOBAL.
    HOME: join(gitFolder, "no-home"),
    XDG_CONFIG_HOME: join(gitFolder, "no-home"),
    GIT_CONFIG_GLOBAL: join(gitFolder, "no-config"),
    GIT_CONFIG_SYSTEM: join(gitFolder, "no-config"),
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_ATTR_NOSYSTEM: "1",
    GIT_TERMINAL_PROMPT: "0",
    GIT_OPTIONAL_LOCKS: "0",
    LC_ALL: "C",
  };
}

interface Execution extends Omit<GitOptions, "environment"> {
  readonly command: string;
  readonly onStart?: ((pid: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

function execute(git: string, args: readonly string[], options: Execution): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      git,
      args,
      {
        cwd: options.folder,
        env: { ...options.environment },
        encoding: "buffer",
        maxBuffer: options.outputLimitBytes ?? LARGEST_OUTPUT_BYTES,
        timeout: LONGEST_RUN_MS,
        windowsHide: true,
        ...(options.signal === undefined ? {} : { signal: options.signal }),
      },
      (error, stdout, stderr) => {
        if (error === null || isAnswer(error, options)) resolve(stdout);
        else reject(failure(git, error, { ...options, complaint: stderr.toString() }));
      },
    );
    if (child.pid !== undefined) options.onStart?.(child.pid);
    // Git may exit before it has read its whole input; its exit code tells whether that is a failure.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(options.input ?? "");
  });
}

function isAnswer({ code }: { readonly code?: unknown }, { answers = [], outputLimitBytes }: Execution): boolean {
  if (code === "ERR_CHILD_PROCESS_STDIO_MAXBUFFER") return outputLimitBytes !== undefined;
  return typeof code === "number" && answers.includes(code);
}

function failure(
  git: string,
  error: Error & { readonly code?: unknown },
  { command, complaint, folder }: Execution & { readonly complaint: string },
): PalimpsestError {
  const isMissing = error.code === "ENOENT" && (folder === undefined || existsSync(folder));
  if (isMissing || error.code === "EACCES") {
    const fix = `Install git ${OLDEST_GIT.join(".")} or newer, or pass its path as \`git\`.`;
    return new PalimpsestError("checkpoint-failed", `Checkpoints need git, and "${git}" cannot be run. ${fix}`);
  }
  const reason = complaint.trim().slice(-LONGEST_COMPLAINT) || error.message.slice(-LONGEST_COMPLAINT);
  const fix = /no space left/i.test(reason)
    ? " Free disk space, for example by pruning checkpoints."
    : " Nothing of the workspace was changed by git; older checkpoints are whole.";
  return new PalimpsestError("checkpoint-failed", `git ${command} failed: ${reason}.${fix}`);
}
