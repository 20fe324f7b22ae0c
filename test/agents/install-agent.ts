import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readFile, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import type { Agent } from "./agent.ts";
import { neutralEnvironment } from "./run-agent.ts";

/** Where it was installed, or why it cannot be. */
export type Installation =
  | { readonly type: "installed"; readonly executable: string }
  | { readonly type: "missing"; readonly reason: string };

export type PackageVersion = Pick<Agent, "packageName" | "version">;

/** Beside the packages of this repository: they go when the packages go. */
const FOLDER = "node_modules/.palimpsest/agents";
const INSTALL_TIMEOUT_MS = 300_000;
const START_TIMEOUT_MS = 60_000;

const run = promisify(execFile);
const installations = new Map<string, Promise<Installation>>();

/** Installs an agent, once per version, and sees whether it starts. */
export function installAgent(agent: Agent): Promise<Installation> {
  const installation = installations.get(agent.packageName) ?? tryInstall(agent);
  installations.set(agent.packageName, installation);
  return installation;
}

async function tryInstall(agent: Agent): Promise<Installation> {
  try {
    const folder = await installPackage(agent.command, agent);
    const executable = join(folder, "node_modules/.bin", agent.command);
    await run(executable, ["--version"], { timeout: START_TIMEOUT_MS, env: neutralEnvironment(folder) });
    return { type: "installed", executable };
  } catch (error) {
    const why = String(error).split("\n").slice(0, 3).join(" ");
    const reason = `${agent.packageName}@${agent.version} does not install or start here: ${why}`;
    console.warn(`SKIPPED ${agent.name}: ${reason}`);
    return { type: "missing", reason };
  }
}

/** Installs a package into a folder of its own, unless it is there in this version; gives the folder. */
export async function installPackage(name: string, wanted: PackageVersion): Promise<string> {
  const folder = resolve(FOLDER, name);
  if ((await installedVersion(folder, wanted)) !== wanted.version) await install(folder, wanted);
  return folder;
}

async function install(folder: string, { packageName, version }: PackageVersion): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  // Some of them bring their program by an install script.
  const options = ["--ignore-scripts=false", "--include=optional", "--no-audit", "--no-fund", "--loglevel=error"];
  const npmArguments = ["install", "--prefix", folder, ...options, `${packageName}@${version}`];
  await run("npm", npmArguments, { cwd: folder, env: installEnvironment(folder), timeout: INSTALL_TIMEOUT_MS });
}

/** Install scripts start the programs, which must not settle in the home of who runs the tests; npm needs its settings from there. */
function installEnvironment(folder: string): NodeJS.ProcessEnv {
  const settled = ["XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"];
  return { ...process.env, ...Object.fromEntries(settled.map((name) => [name, join(folder, "settled", name)])) };
}

async function installedVersion(folder: string, { packageName }: PackageVersion): Promise<string | undefined> {
  const path = join(folder, "node_modules", packageName, "package.json");
  if (!existsSync(path)) return undefined;
  const { version }: { readonly version?: string } = JSON.parse(await readFile(path, "utf8"));
  return version;
}
