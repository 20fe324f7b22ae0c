/**
 * Brings a clone to a state in which everything runs, then runs the command given as arguments.
 *
 * Installs when the lockfile changed, builds when a source changed, and otherwise costs a few milliseconds. This file
 * alone is plain JavaScript without dependencies: it runs on the machine's own Node (20 or later), before anything is
 * installed. What it starts runs on the Node that the project pins.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { delimiter, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const stampFolder = join(root, "node_modules", ".palimpsest");
const environment = {
  ...process.env,
  PATH: [join(root, "node_modules", ".bin"), process.env.PATH].join(delimiter),
};

installIfStale();
buildIfStale();
const [command, ...commandArguments] = process.argv.slice(2);
if (command !== undefined) run(command, commandArguments);

function installIfStale() {
  const manifests = ["package.json", "package-lock.json", ".npmrc", "bench/package.json"];
  const fingerprint = `${process.platform}-${process.arch} ${hashFiles(manifests)}`;
  if (readStamp("install") === fingerprint && existsSync(join(root, "node_modules", ".bin", "tsc"))) return;
  say("Installing dependencies (once; about half a minute)");
  const npm = process.env.npm_execpath;
  const flags = ["ci", "--no-audit", "--no-fund", "--loglevel=error"];
  if (npm === undefined) run("npm", flags);
  else run(process.execPath, [npm, ...flags]);
  writeStamp("install", fingerprint);
}

function buildIfStale() {
  const inputs = ["package.json", "tsconfig.json", "tsconfig.build.json", "scripts/build-vocabulary.ts"];
  const fingerprint = hashFiles([...inputs, ...listFiles("src")]);
  if (readStamp("build") === fingerprint && existsSync(join(root, "dist", "index.js"))) return;
  say("Building");
  run("node", ["scripts/build-vocabulary.ts"]);
  rmSync(join(root, "dist"), { recursive: true, force: true });
  run("tsc", ["-p", "tsconfig.build.json"]);
  writeStamp("build", fingerprint);
}

/** Files below a folder, generated ones left out: they follow from the others. */
function listFiles(folder) {
  return readdirSync(join(root, folder), { recursive: true })
    .map((path) => join(folder, path))
    .filter((path) => !path.includes(".generated.") && statSync(join(root, path)).isFile())
    .sort();
}

function hashFiles(paths) {
  const hash = createHash("sha256");
  for (const path of paths) {
    hash.update(`${relative(".", path)}\0`);
    hash.update(readFileSync(join(root, path)));
  }
  return hash.digest("hex");
}

function readStamp(name) {
  try {
    return readFileSync(join(stampFolder, name), "utf8");
  } catch {
    return undefined;
  }
}

function writeStamp(name, fingerprint) {
  mkdirSync(stampFolder, { recursive: true });
  writeFileSync(join(stampFolder, name), fingerprint);
}

function run(program, programArguments) {
  const { status, signal, error } = spawnSync(program, programArguments, {
    cwd: root,
    env: environment,
    stdio: "inherit",
    // npm puts .cmd files, not programs, on the PATH of Windows.
    shell: process.platform === "win32",
  });
  if (error !== undefined) say(`${program} could not be started: ${error.message}`);
  if (status !== 0) process.exit(status ?? (signal === null ? 1 : 130));
}

function say(line) {
  process.stderr.write(`palimpsest: ${line}\n`);
}
