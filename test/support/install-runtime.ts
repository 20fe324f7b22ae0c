import { execFileSync } from "node:child_process";
import { existsSync, globSync, mkdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";

export interface Runtime {
  readonly name: string;
  /** The npm package that brings its program, for this platform, without a script of its own. */
  readonly packageName: string;
  readonly version: string;
  /** Where the program lies below node_modules. */
  readonly program: string;
  /** What makes it run a file. */
  readonly arguments: readonly string[];
}

/** Beside the packages of this repository: they go when the packages go. */
const FOLDER = resolve(import.meta.dirname, "../../node_modules/.palimpsest/runtimes");
const INSTALL_TIMEOUT_MS = 300_000;

/** The path of its program, installed once per version; undefined, and said aloud, where the registry does not serve it. */
export function installRuntime({ name, packageName, version, program }: Runtime): string | undefined {
  const folder = join(FOLDER, `${name}-${version}`);
  const find = () => globSync(program, { cwd: join(folder, "node_modules") })[0];
  try {
    if (find() === undefined) {
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder, { recursive: true });
      const options = [
        "--ignore-scripts",
        "--include=optional",
        "--fetch-retries=0",
        "--no-audit",
        "--no-fund",
        "--loglevel=error",
      ];
      const npmArguments = ["install", "--prefix", folder, ...options, `${packageName}@${version}`];
      execFileSync("npm", npmArguments, { cwd: folder, stdio: "pipe", timeout: INSTALL_TIMEOUT_MS });
    }
    const found = find();
    if (found === undefined || !existsSync(join(folder, "node_modules", found))) throw new Error(`no ${program} in it`);
    const path = join(folder, "node_modules", found);
    execFileSync(path, ["--version"], { stdio: "pipe", timeout: INSTALL_TIMEOUT_MS });
    return path;
  } catch (error) {
    const why = String(error).split("\n").slice(0, 3).join(" ");
    console.warn(`SKIPPED ${name}: ${packageName}@${version} does not install or start here: ${why}`);
    return undefined;
  }
}
