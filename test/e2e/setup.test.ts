import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

const repository = resolve(import.meta.dirname, "../..");
const pinnedVersion = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")).devDependencies.node;
const COPIED = ["package.json", "package-lock.json", "bench/package.json", "dashboard", "scripts", "src"];
const COPIED_SETTINGS = [".github", ".npmrc", ".gitignore", "biome.json", "tsconfig.json", "tsconfig.build.json"];
const PROBE = "src/cli/probe.ts";
const PRINT_PROBE = ["node", "dist/cli/probe.js"];
const NOTHING_DONE = "";

/** Stands for npm: writes down what it is asked, and installs links to the packages of this repository. */
const NPM = `#!/bin/sh
echo "$@" >> npm-calls
if [ -e scripts-are-off ]; then rm -f node_modules/.bin; exit 0; fi
mkdir -p node_modules
ln -sf "${repository}"/node_modules/* "${repository}/node_modules/.bin" node_modules/
`;

/** A clone as it comes from Git: nothing installed, nothing built. */
let clone: string;

beforeAll(() => {
  clone = mkdtempSync(join(tmpdir(), "palimpsest-setup-"));
  const isWanted = (path: string) => !path.endsWith(".test.ts") && !path.endsWith(".generated.ts");
  for (const path of [...COPIED, ...COPIED_SETTINGS])
    cpSync(join(repository, path), join(clone, path), { recursive: true, filter: isWanted });
  mkdirSync(join(clone, "machine"));
  writeFileSync(join(clone, "machine/npm"), NPM, { mode: 0o755 });
  publishProbe();
  writeProbe('"first"');
});

afterAll(() => rmSync(clone, { recursive: true, force: true }));

function setup(...command: readonly string[]) {
  return setupWith({}, command);
}

function setupWith(variables: Readonly<Record<string, string>>, command: readonly string[]) {
  const path = (process.env.PATH ?? "").split(":").filter((folder) => !folder.endsWith("node_modules/.bin"));
  const { status, stdout, stderr } = spawnSync(process.execPath, ["scripts/setup.mjs", ...command], {
    cwd: clone,
    encoding: "utf8",
    // Nothing else of this environment: npm and vitest tell their children how to behave.
    env: { PATH: [join(clone, "machine"), ...path].join(":"), HOME: clone, ...variables },
  });
  return { status, stdout, stderr };
}

/** What is built is what package.json publishes. */
function publishProbe(): void {
  const manifest = JSON.parse(readFileSync(join(clone, "package.json"), "utf8"));
  const exports = {
    ...manifest.exports,
    "./probe": { types: "./dist/cli/probe.d.ts", default: "./dist/cli/probe.js" },
  };
  writeFileSync(join(clone, "package.json"), `${JSON.stringify({ ...manifest, exports }, undefined, 2)}\n`);
}

function writeProbe(word: string): void {
  writeFileSync(join(clone, PROBE), `export const word: string = ${word};\nconsole.log(word);\n`);
}

function npmCalls(): readonly string[] {
  return readFileSync(join(clone, "npm-calls"), "utf8").trimEnd().split("\n");
}

test("a fresh clone is installed and built before the command runs", () => {
  expect(setup(...PRINT_PROBE)).toMatchObject({ status: 0, stdout: "first\n" });
  expect(setup("node", "dist/cli/main.js", "--version")).toMatchObject({ status: 0, stderr: NOTHING_DONE });
});

test("installing asks for scripts and development packages, whatever the machine's npm is set to", () => {
  expect(npmCalls()).toHaveLength(1);
  expect(npmCalls()[0]).toMatch(/^ci .*--include=dev .*--ignore-scripts=false .*--engine-strict=false/);
});

test("nothing is done again when nothing changed", () => {
  expect(setup(...PRINT_PROBE)).toEqual({ status: 0, stdout: "first\n", stderr: NOTHING_DONE });
  expect(npmCalls()).toHaveLength(1);
});

test("an edited source is built, the vocabulary is not built again", () => {
  writeProbe('"second"');
  expect(setup(...PRINT_PROBE)).toEqual({ status: 0, stdout: "second\n", stderr: "palimpsest: Building\n" });
});

test.each([
  ["built", "dist/cli/probe.js"],
  ["generated", "src/core/tokens/o200k/vocabulary.generated.ts"],
])("a deleted %s file comes back", (_, path) => {
  const text = readFileSync(join(clone, path), "utf8");
  rmSync(join(clone, path));
  expect(setup()).toMatchObject({ status: 0, stderr: expect.stringContaining("Building") });
  expect(readFileSync(join(clone, path), "utf8")).toBe(text);
  expect(setup()).toMatchObject({ stderr: NOTHING_DONE });
});

test("a build that failed is not taken for the one before it", () => {
  writeProbe('; "broken"');
  expect(setup(...PRINT_PROBE)).toMatchObject({ status: 2, stdout: expect.stringContaining(`${PROBE}(1,`) });
  writeProbe('"second"');
  expect(setup(...PRINT_PROBE)).toMatchObject({ status: 0, stdout: "second\n" });
});

test("the command runs with the pinned Node first on its PATH, and its exit code is passed on", () => {
  const program = "console.log(process.version); process.exitCode = 7;";
  expect(setup("node", "--eval", program)).toMatchObject({ status: 7, stdout: `v${pinnedVersion}\n` });
  expect(setup("node", "--eval", "process.kill(process.pid, 'SIGTERM')")).toMatchObject({ status: 128 + 15 });
});

test("PALIMPSEST_NODE=machine runs it on the first Node of the PATH that is not the pinned one", () => {
  const machineNode = join(clone, "machine/node");
  writeFileSync(machineNode, '#!/bin/sh\necho "the machine\'s own: $@"\n', { mode: 0o755 });
  // As npm does it for the scripts of package.json.
  const PATH = [join(clone, "node_modules/.bin"), join(clone, "machine"), process.env.PATH].join(":");
  try {
    const onMachine = setupWith({ PATH, PALIMPSEST_NODE: "machine" }, ["node", "any.js"]);
    expect(onMachine).toEqual({ status: 0, stdout: "the machine's own: any.js\n", stderr: NOTHING_DONE });
    expect(setupWith({ PATH }, ["node", "--version"])).toMatchObject({ stdout: `v${pinnedVersion}\n` });
  } finally {
    rmSync(machineNode);
  }
});

test("PALIMPSEST_NODE takes no other word", () => {
  const { status, stderr } = setupWith({ PALIMPSEST_NODE: "newest" }, ["node", "--version"]);
  expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining('PALIMPSEST_NODE is "newest"') });
});

test("an install without the pinned Node is refused until it is there", () => {
  rmSync(join(clone, "node_modules/.palimpsest"), { recursive: true });
  writeFileSync(join(clone, "scripts-are-off"), "");
  for (let attempt = 1; attempt <= 2; attempt++) {
    const { status, stdout, stderr } = setup(...PRINT_PROBE);
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toContain(`Node ${pinnedVersion}`);
    expect(stderr).toContain("ignore-scripts");
    expect(npmCalls()).toHaveLength(1 + attempt);
  }
  rmSync(join(clone, "scripts-are-off"));
  expect(setup(...PRINT_PROBE)).toMatchObject({ status: 0, stdout: "second\n" });
});

test("packages that disappeared are installed again", () => {
  const calls = npmCalls().length;
  rmSync(join(clone, "node_modules/.bin"));
  expect(setup(...PRINT_PROBE)).toMatchObject({ status: 0, stdout: "second\n" });
  expect(npmCalls()).toHaveLength(calls + 1);
});

test("npm test ends with the count alone on its line, with a type error as one failure", () => {
  writeFileSync(
    join(clone, "src/cli/probe.test.ts"),
    'import { expect, test } from "vitest";\n\ntest("adds", () => expect(1 + 1).toBe(2));\ntest.skip("waits", () => {});\n',
  );
  writeFileSync(join(clone, "vitest.config.ts"), 'export default { test: { include: ["src/**/*.test.ts"] } };\n');
  const lastLines = (output: string) => output.trimEnd().split("\n").slice(-2);
  const clean = setup("node", "scripts/test.ts", "src/cli/probe");
  expect(lastLines(clean.stdout)).toEqual([expect.stringMatching(/^1 skipped/), "2 passed, 0 failed"]);
  expect(clean.status).toBe(0);
  writeProbe("2");
  const wrong = setup("node", "scripts/test.ts", "src/cli/probe");
  expect(wrong.stdout).toContain(`${PROBE}(1,`);
  expect(lastLines(wrong.stdout).at(-1)).toBe("1 passed, 1 failed");
  expect(wrong.status).toBe(1);
});
