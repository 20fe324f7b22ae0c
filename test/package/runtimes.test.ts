import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
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
    const printed = execFileSync(program, [...programArguments, file], {
      cwd: repository,
      encoding: "utf8",
      timeout: 60_000,
    });
    return JSON.parse(printed);
  } finally {
    rmSync(file);
  }
}

test.for(RUNTIMES)("the root runs on $name", { timeout: 400_000 }, (runtime, { skip }) => {
  const program = installRuntime(runtime);
  if (program === undefined) return skip();
  const session = { fits: true, found: true };
  expect(run(program, runtime.arguments)).toMatchObject({
    compacted: true,
    withoutModel: session,
    withModel: session,
  });
});

test("the gateway folds on bun", { timeout: 400_000 }, ({ skip }) => {
  const [bun] = RUNTIMES;
  const program = bun === undefined ? undefined : installRuntime(bun);
  if (bun === undefined || program === undefined) return skip();
  expect(run(program, bun.arguments, GATEWAY_PROGRAM)).toEqual({
    statuses: [200, true, 200, true],
    incidents: [],
    outcomes: ["answered", "answered"],
  });
});
