/**
 * Brings a clone to a state in which everything runs, then runs the command given as arguments.
 *
 * Installs when the lockfile changed, builds when a source changed, and otherwise costs a fraction of a second. This
 * file alone is plain JavaScript without dependencies: it runs on the machine's own Node (20 or later), before anything
 * is installed. What it starts runs on the Node that the project pins, and with PALIMPSEST_NODE=machine on the machine's own:
 * CI tests each Node of its matrix that way.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { constants } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const searchPath = [resolve("node_modules/.bin"), ...(process.env.PATH ?? "").split(delimiter)];
const environment = { ...process.env, PATH: searchPath.join(delimiter) };

/** What makes the files that are published, and the dashboard that the gateway serves. */
const BUNDLERS = ["scripts/bundle.ts", "scripts/bundle-dashboard.ts"];

installIfStale();
chooseNode();
buildVocabularyIfStale();
buildIfStale();
const [command, ...commandArguments] = process.argv.slice(2);
if (command !== undefined) run(command, commandArguments);

function installIfStale() {
  // Inside node_modules: it goes when the packages go.
  const stamp = "node_modules/.palimpsest/install";
  const manifests = ["package.json", "package-lock.json", ".npmrc", "bench/package.json", "dashboard/package.json"];
  const fingerprint = `${process.platform}-${process.arch} ${hashFiles(manifests)}`;
  const pinnedVersion = JSON.parse(readFileSync("package.json", "utf8")).devDependencies.node;
  const isComplete = () => installedNodeVersion() === pinnedVersion && existsSync("node_modules/.bin/tsc");
  if (readStamp(stamp) === fingerprint && isComplete()) return;
  say("Installing dependencies (once; about half a minute)");
  rmSync(stamp, { force: true });
  // They overrule what the machine's own settings, NODE_ENV=production among them, would leave out.
  const needed = ["--include=dev", "--include=optional", "--ignore-scripts=false", "--engine-strict=false"];
  run("npm", ["ci", ...needed, "--no-audit", "--no-fund", "--loglevel=error"]);
  if (!isComplete()) refuseInstall(pinnedVersion);
  writeStamp(stamp, fingerprint);
}

function refuseInstall(pinnedVersion) {
  const found = installedNodeVersion() ?? "missing";
  refuse(`npm ci reported success, but node_modules/.bin/node is ${found} instead of Node ${pinnedVersion}.
It comes with the install script of the npm package "node". Either npm did not run that script (see that
"npm config get ignore-scripts" says false and that your npm allows scripts), or the registry does not serve
Node ${pinnedVersion} for ${process.platform}-${process.arch}. Change that, then run the same command again.`);
}

function installedNodeVersion() {
  const { status, stdout } = spawnSync("node_modules/.bin/node", ["--version"], { encoding: "utf8" });
  return status === 0 ? stdout.trim().replace(/^v/, "") : undefined;
}

/** Decides which Node `node`, and every tool that is written for Node, runs on from here on. */
function chooseNode() {
  const choice = process.env.PALIMPSEST_NODE ?? "pinned";
  if (choice === "pinned") return;
  if (choice !== "machine") refuse(`PALIMPSEST_NODE is "${choice}". Write "machine" or "pinned", or leave it out.`);
  // npm puts node_modules/.bin, and so the pinned Node, before everything else on the PATH of a script.
  const folders = searchPath.filter((folder) => !/\bnode_modules[\\/]\.bin[\\/]?$/.test(folder));
  const program = folders.map((folder) => join(folder, "node")).find((path) => existsSync(path));
  if (program === undefined) refuse("PALIMPSEST_NODE is machine, but the PATH has no Node besides the pinned one.");
  // A folder with this one program: that of the machine's Node may have another tsc or vitest in it.
  const folder = resolve("node_modules/.palimpsest/machine-node");
  const link = join(folder, "node");
  if (!existsSync(link) || realpathSync(link) !== realpathSync(program)) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    symlinkSync(realpathSync(program), link);
  }
  environment.PATH = [folder, ...searchPath].join(delimiter);
}

function buildVocabularyIfStale() {
  makeIfStale(".setup/vocabulary", {
    inputs: [
      "scripts/build-vocabulary.ts",
      "src/core/tokens/o200k/vocabulary.ts",
      "node_modules/tiktoken/package.json",
    ],
    outputs: () => listFiles("src").filter((path) => path.endsWith(".generated.ts")),
    make() {
      say("Building the vocabulary (once; a few seconds)");
      run("node", ["scripts/build-vocabulary.ts"]);
    },
  });
}

function buildIfStale() {
  const sources = ["src", "dashboard/src"].flatMap(listFiles).filter((path) => !path.endsWith(".test.ts"));
  makeIfStale(".setup/build", {
    inputs: ["package.json", "tsconfig.json", "tsconfig.build.json", ...BUNDLERS, ...sources],
    outputs: () => listFiles("dist"),
    make() {
      say("Building");
      rmSync("dist", { recursive: true, force: true });
      // Types are the business of `npm run check`: a wrong one must not keep the tests from running.
      run("tsc", ["-p", "tsconfig.build.json", "--noCheck"]);
      for (const bundler of BUNDLERS) run("node", [bundler]);
    },
  });
}

/** Makes the outputs unless the stamp says that these very files were made from these very inputs. */
function makeIfStale(stamp, { inputs, outputs, make }) {
  const inputHash = hashFiles(inputs);
  if (readStamp(stamp) === `${inputHash} ${hashFiles(outputs())}`) return;
  // First of all, so that what an interrupted or failed attempt leaves behind is never taken for made.
  rmSync(stamp, { force: true });
  make();
  writeStamp(stamp, `${inputHash} ${hashFiles(outputs())}`);
}

function listFiles(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true })
    .map((path) => join(folder, path))
    .filter((path) => lstatSync(path).isFile())
    .sort();
}

function hashFiles(paths) {
  const hash = createHash("sha256");
  for (const path of paths) {
    hash.update(`${path}\0`);
    hash.update(readFileSync(path));
  }
  return hash.digest("hex");
}

function readStamp(stamp) {
  return existsSync(stamp) ? readFileSync(stamp, "utf8") : undefined;
}

function writeStamp(stamp, text) {
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, text);
}

function run(program, programArguments) {
  const { status, signal, error } = spawnSync(program, programArguments, { env: environment, stdio: "inherit" });
  if (error !== undefined) say(`${program} could not be started: ${error.message}`);
  if (status !== 0) process.exit(status ?? (signal === null ? 1 : 128 + constants.signals[signal]));
}

function refuse(text) {
  say(text);
  process.exit(1);
}

function say(text) {
  process.stderr.write(`palimpsest: ${text}\n`);
}
