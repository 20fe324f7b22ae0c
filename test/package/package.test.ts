import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { afterAll, beforeAll, expect, test } from "vitest";

const repository = resolve(import.meta.dirname, "../..");
const manifest = JSON.parse(readFileSync(join(repository, "package.json"), "utf8"));
const subpaths = Object.keys(manifest.exports).filter((subpath) => subpath !== "./package.json");
const specifiers = subpaths.map((subpath) => subpath.replace(/^\./, "palimpsest"));

let folder: string;
let tarball: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "palimpsest-package-"));
  const [packed] = JSON.parse(run("npm", ["pack", "--json", "--pack-destination", folder], repository));
  tarball = join(folder, packed.filename);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "consumer", private: true, type: "module" }));
  run("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error", tarball]);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function run(program: string, programArguments: readonly string[], cwd = folder): string {
  return execFileSync(program, programArguments, { cwd, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
}

test("the tarball brings its dependencies and theirs, and nothing else, into an empty folder", () => {
  const brought = readdirSync(join(folder, "node_modules")).filter((name) => !name.startsWith("."));
  const needed = new Set(["palimpsest"]);
  // A set may grow while it is walked.
  for (const name of needed) for (const each of dependenciesOf(name)) needed.add(each);
  const folders = new Set([...needed].map((name) => name.replace(/\/.*/, "")));
  expect(brought.toSorted()).toEqual([...folders].toSorted());
  // Whoever adds one here has a decision to write.
  expect(needed.size).toBe(7);
});

function dependenciesOf(name: string): readonly string[] {
  const path = join(folder, "node_modules", name, "package.json");
  return Object.keys(JSON.parse(readFileSync(path, "utf8")).dependencies ?? {});
}

test("npm has nothing to correct in the manifest that it publishes", () => {
  // What `npm publish` corrects, it warns about.
  const place = mkdtempSync(join(folder, "manifest-"));
  cpSync(join(folder, "node_modules/palimpsest/package.json"), join(place, "package.json"));
  run("npm", ["pkg", "fix", "--loglevel=error"], place);
  const corrected = JSON.parse(readFileSync(join(place, "package.json"), "utf8"));
  expect(corrected).toEqual(manifest);
  expect(manifest.bin).toEqual({ palimpsest: "dist/cli/main.js" });
});

test("the tarball holds no test, no source and no machine's path", () => {
  const files = readdirSync(join(folder, "node_modules/palimpsest"), { recursive: true }).map(String);
  const isSource = (path: string) => path.endsWith(".ts") && !path.endsWith(".d.ts") && !path.startsWith("examples");
  expect(files.filter((path) => path.includes(".test.") || isSource(path))).toEqual([]);
  const scripts = files.filter((path) => path.endsWith(".js") || path.endsWith(".map"));
  const leaking = scripts.filter((path) =>
    readFileSync(join(folder, "node_modules/palimpsest", path), "utf8").includes(repository),
  );
  expect(leaking).toEqual([]);
});

test("an installed gateway serves the dashboard, with every file that the page names", () => {
  const program = `
import { startGateway } from "palimpsest/gateway";
import { memoryStore } from "palimpsest/stores/memory";
const gateway = await startGateway({ store: memoryStore(), port: 0 });
const page = await (await fetch(gateway.url + "/palimpsest/")).text();
const names = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, name]) => name);
const statuses = await Promise.all(names.map(async (name) => (await fetch(gateway.url + "/palimpsest/" + name)).status));
console.log(names.length, statuses.join());
await gateway.close();`;
  expect(run("node", ["--input-type=module", "--eval", program])).toBe("2 200,200\n");
});

test("an installed command writes a page of a session file", () => {
  writeFileSync(join(folder, "session.json"), JSON.stringify([{ role: "user", content: "Why does the light blink?" }]));
  run("npx", ["palimpsest", "inspect", "session.json", "--html", "report.html"]);
  expect(readFileSync(join(folder, "report.html"), "utf8")).toContain("Why does the light blink?");
});

test("every subpath is imported from JavaScript", () => {
  const program = `for (const name of ${JSON.stringify(specifiers)}) console.log(name, Object.keys(await import(name)).length > 0);`;
  expect(run("node", ["--input-type=module", "--eval", program])).toBe(
    specifiers.map((specifier) => `${specifier} true\n`).join(""),
  );
});

test("every subpath is required from CommonJS, and is the same module", () => {
  const program = `(async () => {
    for (const name of ${JSON.stringify(specifiers)}) {
      const [required, imported] = [require(name), await import(name)];
      const names = Object.keys(required);
      console.log(name, names.length > 0 && names.every((each) => required[each] === imported[each]));
    }
  })();`;
  expect(run("node", ["--input-type=commonjs", "--eval", program])).toBe(
    specifiers.map((specifier) => `${specifier} true\n`).join(""),
  );
});

test.each([
  { what: "an ES module with NodeNext", file: "consumer.mts", options: { module: "nodenext" } },
  { what: "CommonJS with node16", file: "consumer.cts", options: { module: "node16" } },
  { what: "a bundler's project", file: "consumer.ts", options: { module: "esnext", moduleResolution: "bundler" } },
])("every subpath is imported from TypeScript, its types checked: $what", ({ file, options }) => {
  const lines = specifiers.map((specifier, index) => `import * as entry${index} from ${JSON.stringify(specifier)};`);
  const uses = specifiers.map((_, index) => `void entry${index};`);
  const view = `import { getEffectiveApiHistory, type Message } from "palimpsest";
const messages: Message[] = [{ role: "user", content: "hello" }];
const content: Message["content"] | undefined = getEffectiveApiHistory(messages)[0]?.content;
void content;
// @ts-expect-error: there is no such role
const wrong: Message = { role: "robot", content: "" };
void wrong;`;
  writeFileSync(join(folder, file), [...lines, ...uses, view].join("\n"));
  const compilerOptions = {
    ...options,
    target: "es2023",
    lib: ["es2023"],
    strict: true,
    noEmit: true,
    // Whoever programs for Node has its types; signals and headers are named by them.
    types: ["node"],
    typeRoots: [join(repository, "node_modules/@types")],
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: [file] }));
  run(join(repository, "node_modules/.bin/tsc"), ["-p", "."]);
});

/** What is loaded when the root is imported, and then for a first statement. */
function loadedFiles(statement = ""): readonly string[] {
  const program = `
    import { registerHooks } from "node:module";
    const loaded = [];
    registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context); } });
    const palimpsest = await import("palimpsest");
    ${statement}
    console.log(JSON.stringify(loaded));`;
  return JSON.parse(run("node", ["--input-type=module", "--eval", program]));
}

test("importing the root loads a few of the package's own files, and nothing else", () => {
  const loaded = loadedFiles();
  expect(loaded.length).toBeGreaterThan(0);
  // What is late in a bundle has files of its own, which the root loads too: it exports some of it.
  expect(loaded.length).toBeLessThanOrEqual(6);
  expect(loaded.filter((url) => !url.includes("/node_modules/palimpsest/dist/"))).toEqual([]);
});

test("the vocabulary is read for the first count, not for the import", () => {
  const vocabulary = expect.stringMatching(/\/dist\/vocabulary\/o200k\.js$/);
  expect(loadedFiles()).not.toContainEqual(vocabulary);
  expect(loadedFiles('palimpsest.countTextTokens("hello");')).toContainEqual(vocabulary);
});

test("the installed command replays its demo without a loss", () => {
  const result = JSON.parse(run("npx", ["palimpsest", "demo", "--json"]));
  expect(result).toMatchObject({ overflows: 0, invalidViews: 0, bytesLost: 0 });
  expect(result.hashAfter).toBe(result.hashBefore);
  expect(result.recall).toMatchObject({ isHiddenInView: true, isFound: true });
  expect(run("npx", ["palimpsest", "--version"]).trim()).toBe(manifest.version);
});

test("publint finds nothing to improve", async () => {
  const { messages } = await publint({ pkgDir: join(folder, "node_modules/palimpsest"), strict: true });
  expect(messages.map((message) => formatMessage(message, manifest))).toEqual([]);
});
