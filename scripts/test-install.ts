/**
 * Installs the packed package beside the packages that people have, and runs the program of the README there. Prints one line for each set.
 *
 * Needs the registry and some minutes: `npm run test:install`. `npm run test:install -- jest` runs the sets whose name has that word.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const repository = resolve(import.meta.dirname, "..");
const manifest = JSON.parse(readFileSync(join(repository, "package.json"), "utf8"));
const EXAMPLE = readFileSync(join(repository, "examples/anthropic.ts"), "utf8");
const README = readFileSync(join(repository, "README.md"), "utf8");
const CLIENT = `@anthropic-ai/sdk@${manifest.devDependencies["@anthropic-ai/sdk"]}`;
const TYPESCRIPT = [
  `typescript@${manifest.devDependencies.typescript}`,
  `@types/node@${manifest.devDependencies["@types/node"]}`,
];

/** What stands in a project beside us, and how our program is run there. */
interface Neighbours {
  readonly name: string;
  readonly packages: readonly string[];
  run(project: Project): void;
}

interface Project {
  write(path: string, text: string): void;
  execute(program: string, ...programArguments: readonly string[]): string;
}

/** What the README says that the example prints, so that a program that silently does less is noticed. */
function expectPrinted(output: string): void {
  if (output.trim() === "" || !README.includes(output.trimEnd()))
    throw new Error(`The program printed ${JSON.stringify(output.slice(0, 300))}.`);
}

function runModule({ write, execute }: Project): void {
  write("program.mts", EXAMPLE);
  expectPrinted(execute("node", "program.mts"));
}

/** Modules of the kind that `npm init -y` makes: imports become calls of require. */
const REQUIRING = `${EXAMPLE.replace(/^import Anthropic from (.*);$/m, "const { default: Anthropic } = require($1);")
  .replace(
    /^import \{(.*)\} from (.*);$/gm,
    (_, names: string, from: string) => `const {${names.replace(/type \w+,? ?/g, "")}} = require(${from});`,
  )
  .replace(/^(const server = [\s\S]*?)(^\/\/ Stands for your tools)/m, "async function main() {\n$1}\nmain();\n\n$2")}`;

function compile(project: Project, compilerOptions: object): void {
  const options = {
    target: "es2023",
    lib: ["es2023", "dom"],
    strict: true,
    noEmit: true,
    types: ["node"],
    ...compilerOptions,
  };
  project.write("tsconfig.json", JSON.stringify({ compilerOptions: { ...options, skipLibCheck: true } }));
  project.execute("npx", "tsc", "-p", ".");
}

/** Sends a request through a gateway whose telemetry goes to a collector of its own, and prints what that collector was sent. */
const TELEMETRY = `import { createServer } from "node:http";
import { startGateway, startTelemetry } from "palimpsest/gateway";
import { memoryStore } from "palimpsest/stores/memory";
import { startModelServer } from "palimpsest/testing";
const paths = new Set<string>();
const collector = createServer((request, response) => {
  paths.add(request.url ?? "");
  request.resume().on("end", () => response.writeHead(200, { "content-type": "application/json" }).end("{}"));
});
await new Promise<void>((resolve) => collector.listen(0, "127.0.0.1", resolve));
const { port } = collector.address() as { port: number };
const server = await startModelServer();
const gateway = await startGateway({ store: memoryStore(), port: 0, upstreams: { anthropic: server.url } });
const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:" + port };
try {
  const telemetry = await startTelemetry({ feed: gateway.activity, environment, version: "1.0.0" });
  const body = JSON.stringify({ model: "claude-sonnet-4-5", max_tokens: 9, messages: [{ role: "user", content: "Why?" }] });
  const headers = { "content-type": "application/json", "x-api-key": "key", "anthropic-version": "2023-06-01" };
  await (await fetch(gateway.url + "/v1/messages", { method: "POST", headers, body })).text();
  await telemetry?.close();
  console.log([...paths].sort().join(" "));
} catch (error) {
  console.log((error as { code?: string }).code, String(error).includes("older than version 2. Run: npm install "));
}
await gateway.close();
await server.close();
collector.close();
`;

function runTelemetry(project: Project, expected: string): void {
  runModule(project);
  project.write("telemetry.mts", TELEMETRY);
  const output = project.execute("node", "telemetry.mts").trim();
  if (output !== expected) throw new Error(`Error: telemetry printed ${JSON.stringify(output.slice(0, 300))}.`);
}

const SETS: readonly Neighbours[] = [
  { name: "nothing else", packages: [], run: runModule },
  { name: "ai 5", packages: ["ai@5", "@ai-sdk/anthropic@2"], run: runModule },
  { name: "ai 6", packages: ["ai@6", "@ai-sdk/anthropic@3", "@ai-sdk/openai@3"], run: runModule },
  { name: "ai 7", packages: ["ai@7", "@ai-sdk/anthropic@4", "@ai-sdk/openai@4"], run: runModule },
  {
    name: "OpenTelemetry, old exporters: all else works, and telemetry says what to install",
    packages: [
      "@opentelemetry/exporter-trace-otlp-http@0.52",
      "@opentelemetry/exporter-metrics-otlp-http@0.52",
      "@opentelemetry/sdk-trace-base@1",
      "@opentelemetry/sdk-metrics@1",
      "@opentelemetry/api@1.8",
    ],
    run: (project) => runTelemetry(project, "missing-package true"),
  },
  {
    name: "OpenTelemetry, the packages that our error names: traces and metrics arrive",
    packages: [
      "@opentelemetry/api@1.9",
      "@opentelemetry/resources@2",
      "@opentelemetry/sdk-trace-base@2",
      "@opentelemetry/sdk-metrics@2",
      "@opentelemetry/exporter-trace-otlp-http@0.223",
      "@opentelemetry/exporter-metrics-otlp-http@0.223",
    ],
    run: (project) => runTelemetry(project, "/v1/metrics /v1/traces"),
  },
  { name: "ajv 6", packages: ["ajv@6"], run: runModule },
  {
    name: "CommonJS, as npm init -y makes it",
    packages: [],
    run: ({ write, execute }) => {
      write("program.cts", REQUIRING);
      expectPrinted(execute("node", "program.cts"));
    },
  },
  {
    name: "TypeScript, CommonJS with node16",
    packages: TYPESCRIPT,
    run: (project) => {
      project.write(
        "program.cts",
        'import { createEngine } from "palimpsest";\nimport { toAnthropic } from "palimpsest/messages";\nconsole.log(typeof createEngine, typeof toAnthropic);\n',
      );
      compile(project, { module: "node16", noEmit: false, outDir: "built" });
      const output = project.execute("node", "built/program.cjs");
      if (output.trim() !== "function function") throw new Error(output);
    },
  },
  {
    name: "TypeScript, bundler",
    packages: TYPESCRIPT,
    run: (project) => {
      project.write("program.ts", EXAMPLE);
      compile(project, { module: "esnext", moduleResolution: "bundler" });
    },
  },
  {
    name: "jest, CommonJS tests that require",
    packages: ["jest@30"],
    run: ({ write, execute }) => {
      write(
        "engine.test.js",
        `const { createEngine } = require("palimpsest");
test("a view", async () => {
  const session = await createEngine({ model: "claude-sonnet-4-6" }).session("s");
  await session.append({ role: "user", content: "Why?" });
  expect(await session.view()).toHaveLength(1);
});
`,
      );
      execute("node", "--experimental-vm-modules", "node_modules/jest/bin/jest.js");
    },
  },
  {
    name: "jest, CommonJS tests that import",
    packages: ["jest@30"],
    run: ({ write, execute }) => {
      write("jest.config.cjs", "module.exports = { transform: {} };\n");
      write(
        "engine.test.js",
        `test("a view", async () => {
  const { createEngine } = await import("palimpsest");
  const session = await createEngine({ model: "claude-sonnet-4-6" }).session("s");
  await session.append({ role: "user", content: "Why?" });
  expect(await session.view()).toHaveLength(1);
});
`,
      );
      execute("node", "--experimental-vm-modules", "node_modules/jest/bin/jest.js");
    },
  },
  {
    name: "jest, with ES modules",
    packages: ["jest@30"],
    run: ({ write, execute }) => {
      write("jest.config.mjs", "export default { transform: {} };\n");
      write(
        "engine.test.mjs",
        `import { createEngine } from "palimpsest";
test("a view", async () => {
  const session = await createEngine({ model: "claude-sonnet-4-6" }).session("s");
  await session.append({ role: "user", content: "Why?" });
  expect({ ...(await session.prepare({ as: "anthropic" })) }).toEqual({ messages: [{ role: "user", content: "Why?" }] });
});
`,
      );
      execute("node", "--experimental-vm-modules", "node_modules/jest/bin/jest.js");
    },
  },
];

function openProject(folder: string): Project {
  return {
    write: (path, text) => writeFileSync(join(folder, path), text),
    execute: (program, ...programArguments) =>
      execFileSync(program, programArguments, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }),
  };
}

/** What went wrong, in a line; undefined where nothing did. */
function tryBeside({ name, packages, run }: Neighbours, tarball: string, root: string): string | undefined {
  const folder = join(root, name.replace(/\W+/g, "-"));
  mkdirSync(folder);
  const project = openProject(folder);
  try {
    project.execute("npm", "init", "-y");
    project.execute("npm", "install", "--no-audit", "--no-fund", "--loglevel=error", ...packages, CLIENT);
    // The neighbours are there first, as in a project that exists: now npm must not refuse.
    project.execute("npm", "install", "--no-audit", "--no-fund", "--loglevel=error", tarball);
    run(project);
    return undefined;
  } catch (error) {
    const output = error instanceof Error && "stderr" in error ? `${error.stderr}` : "";
    const text = output.trim() === "" ? String(error) : output;
    return text.split("\n").find((line) => /ERESOLVE|rror/.test(line)) ?? text.slice(0, 200);
  }
}

const root = mkdtempSync(join(tmpdir(), "palimpsest-install-"));
try {
  const packing = execFileSync("npm", ["pack", "--json", "--pack-destination", root], {
    cwd: repository,
    encoding: "utf8",
  });
  const tarball = join(root, JSON.parse(packing)[0].filename);
  const wanted = process.argv.slice(2);
  const sets = SETS.filter(({ name }) => wanted.every((word) => name.includes(word)));
  let works = 0;
  for (const each of sets) {
    const fault = tryBeside(each, tarball, root);
    console.log(`${fault === undefined ? "works" : "FAILS"}  ${each.name}${fault === undefined ? "" : `: ${fault}`}`);
    if (fault === undefined) works += 1;
  }
  console.log(`${works} of ${sets.length} sets work`);
  if (works < sets.length) process.exitCode = 1;
} finally {
  rmSync(root, { recursive: true, force: true });
}
