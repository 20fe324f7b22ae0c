import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { ENGINE_PROGRAM } from "../support/engine-program.ts";
import { installRuntime, type Runtime } from "../support/install-runtime.ts";

const repository = resolve(import.meta.dirname, "../..");

const RUNTIMES: readonly Runtime[] = [
  { name: "bun", packageName: "bun", version: "1.4.4", program: "@oven/*/bin/bun", arguments: ["run"] },
  {
    name: "deno",
    packageName: "deno",
    version: "2.9.6",
    program: "@deno/*/deno",
    arguments: ["run", "--no-prompt", "--cached-only", "--node-modules-dir=manual"],
  },
];

const manifest = JSON.parse(readFileSync(join(repository, "package.json"), "utf8"));
/** The npm package `node` installs one of these by a script; on Apple's processors it has another name. */
const NODE_PACKAGE = [
  process.platform === "darwin" && process.arch === "arm64" ? "node-bin" : "node",
  process.platform,
  process.arch,
].join("-");

/** The least that `engines` of package.json promises, the least whose SQLite has full-text search, and the newest that there is. */
const NODES: readonly Runtime[] = ["22.13.0", "22.16.0", "26.10.0"].map((version) => ({
  name: `node-${version}`,
  packageName: NODE_PACKAGE,
  version,
  program: `${NODE_PACKAGE}/bin/node`,
  arguments: [],
}));
const [LEAST_NODE, ...NODES_WITH_SEARCH] = NODES;

/** A session on SQLite that is folded, closed and opened again: what was sent stays, and what is hidden is found. */
const SQLITE_PROGRAM = `
import { createEngine } from "palimpsest";
import { sqliteStore } from "palimpsest/stores/sqlite";
const path = SESSIONS_PATH;
const open = async () => {
  const store = sqliteStore({ path });
  const engine = createEngine({ model: "claude-sonnet-4-5", contextWindow: 20_000, maxTokens: 1_000, store });
  return { store, session: await engine.session("task") };
};
const first = await open();
await first.session.append({ role: "user", content: "Read file 0." });
for (let turn = 0; turn < 40; turn++) {
  await first.session.append({ role: "assistant", content: "File " + turn + " is read. " + (turn === 3 ? "The harbour code is osprey-4417. " : "") + "It says so. ".repeat(100) });
  await first.session.append({ role: "user", content: "Read file " + (turn + 1) + ". " + "word ".repeat(400) });
}
const { messages } = await first.session.prepare();
await first.session.condense();
const [log, view, folds] = [await first.session.log(), await first.session.view(), await first.session.folds()];
await first.store.close();
const second = await open();
const hits = await second.session.recall("harbour code osprey-4417");
globalThis.outcome = {
  sentLess: messages.length < log.length,
  isFolded: folds.length > 0,
  isSameLog: JSON.stringify(await second.session.log()) === JSON.stringify(log),
  isSameView: JSON.stringify(await second.session.view()) === JSON.stringify(view),
  isFound: JSON.stringify(hits).includes("osprey-4417"),
};
await second.store.close();
`;

/** A gateway before a strict server with a small window: sends what does not fit, whole and streamed. */
const GATEWAY_PROGRAM = `
import { startGateway } from "palimpsest/gateway";
import { memoryStore } from "palimpsest/stores/memory";
import { startModelServer } from "palimpsest/testing";
const server = await startModelServer({ contextWindow: 8_000, reply: () => ({ type: "text", text: "Hello." }) });
const gateway = await startGateway({ port: 0, store: memoryStore(), upstreams: { anthropic: server.url }, windows: { all: 8_000 } });
const incidents = [];
gateway.activity.listen((activity) => { if (activity.type === "incident") incidents.push(activity.error); });
const messages = Array.from({ length: 31 }, (_, turn) => (
  { role: turn % 2 === 0 ? "user" : "assistant", content: "turn " + turn + " word".repeat(500) }));
const statuses = [];
for (const stream of [false, true]) {
  const body = JSON.stringify({ model: "claude-haiku-4-5", max_tokens: 100, stream, messages });
  const headers = { "content-type": "application/json", "x-api-key": "any", "anthropic-version": "2023-06-01" };
  const reply = await fetch(gateway.url + "/v1/messages", { method: "POST", headers, body });
  statuses.push(reply.status, (await reply.text()).includes("Hello."));
}
await gateway.close();
await server.close();
globalThis.outcome = { statuses, incidents, outcomes: server.requests.map(({ outcome }) => outcome) };
`;

/** In the repository, so that the package is found by its own name. */
function run(program: string, programArguments: readonly string[], text = ENGINE_PROGRAM): unknown {
  const file = join(repository, `.runtime-${process.pid}.mjs`);
  writeFileSync(file, `${text}\nconsole.log(JSON.stringify(await globalThis.outcome));\n`);
  try {
    const options = { cwd: repository, encoding: "utf8", stdio: "pipe", timeout: 60_000 } as const;
    return JSON.parse(execFileSync(program, [...programArguments, file], options));
  } finally {
    rmSync(file);
  }
}

test.for([...RUNTIMES, ...NODES])("the root runs on $name", { timeout: 400_000 }, (runtime, { skip }) => {
  const program = installRuntime(runtime);
  if (program === undefined) return skip();
  const session = { fits: true, found: true };
  expect(run(program, runtime.arguments)).toMatchObject({
    compacted: true,
    withoutModel: session,
    withModel: session,
  });
});

const WITH_GATEWAY = [...RUNTIMES.filter(({ name }) => name === "bun"), ...NODES];
test.for(WITH_GATEWAY)("the gateway folds on $name", { timeout: 400_000 }, (runtime, { skip }) => {
  const program = installRuntime(runtime);
  if (program === undefined) return skip();
  expect(run(program, runtime.arguments, GATEWAY_PROGRAM)).toEqual({
    statuses: [200, true, 200, true],
    incidents: [],
    outcomes: ["answered", "answered"],
  });
});

test("the first of these Nodes is the least that package.json allows", () => {
  expect(`>=${LEAST_NODE?.version}`).toBe(`${manifest.engines.node}.0`);
});

function sqliteProgram(folder: string): string {
  return SQLITE_PROGRAM.replace("SESSIONS_PATH", JSON.stringify(join(folder, "sessions.db")));
}

function withFolder(use: (folder: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-runtimes-"));
  try {
    use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test.for(NODES_WITH_SEARCH)(
  "a session on SQLite folds, comes back and recalls on $name",
  { timeout: 400_000 },
  (runtime, { skip }) => {
    const program = installRuntime(runtime);
    if (program === undefined) return skip();
    withFolder((folder) => {
      expect(run(program, runtime.arguments, sqliteProgram(folder))).toEqual({
        sentLess: true,
        isFolded: true,
        isSameLog: true,
        isSameView: true,
        isFound: true,
      });
    });
  },
);

test("a Node whose SQLite has no full-text search is told which one has it", { timeout: 400_000 }, ({ skip }) => {
  const program = LEAST_NODE && installRuntime(LEAST_NODE);
  if (program === undefined) return skip();
  withFolder((folder) => {
    expect(() => run(program, [], sqliteProgram(folder))).toThrow(/no full-text search\. Use Node 22\.16 or newer/);
  });
});

test.for(NODES)("the command line starts on $name", { timeout: 400_000 }, (runtime, { skip }) => {
  const program = installRuntime(runtime);
  if (program === undefined) return skip();
  const main = join(repository, "dist/cli/main.js");
  const printed = execFileSync(program, [main, "--version"], { encoding: "utf8", timeout: 60_000 });
  expect(printed).toContain(manifest.version);
});
