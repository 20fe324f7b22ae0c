/**
 * How many files and functions of ours one folding request through the gateway runs through, by V8's own coverage:
 * `npx node scripts/walk-request.ts`, or with the root of another checkout to compare it with. `--files` lists the files.
 */
import { createServer } from "node:http";
import { Session } from "node:inspector/promises";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";

const { values: flags, positionals } = parseArgs({ allowPositionals: true, options: { files: { type: "boolean" } } });
const root = resolve(positionals[0] ?? join(import.meta.dirname, ".."));
const source = pathToFileURL(join(root, "src")).href;
const { startGateway } = await import(`${source}/gateway/index.ts`);
const { memoryStore } = await import(`${source}/stores/memory/index.ts`);

const upstream = createServer((request, response) => {
  request.resume().on("end", () => {
    const content = [{ type: "text", text: "Done." }];
    const usage = { input_tokens: 9_000, output_tokens: 4 };
    response.setHeader("content-type", "application/json");
    response.end(
      JSON.stringify({
        id: "m",
        type: "message",
        role: "assistant",
        model: "x",
        content,
        stop_reason: "end_turn",
        usage,
      }),
    );
  });
});
await new Promise<void>((done) => upstream.listen(0, "127.0.0.1", done));
const url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
const gateway = await startGateway({
  port: 0,
  store: memoryStore(),
  upstreams: { anthropic: url },
  windows: { all: 20_000 },
});

/** A conversation of so many turns with tools, as an agent sends it. */
function body(turns: number): string {
  const messages = Array.from({ length: turns }, (_, turn) => [
    {
      role: "assistant",
      content: [{ type: "tool_use", id: `t${turn}`, name: "Read", input: { file_path: `/a/${turn}.ts` } }],
    },
    {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: `t${turn}`, content: `export const row${turn} = 1;\n`.repeat(60) }],
    },
  ]).flat();
  const first = { role: "user", content: "Rename the rows." };
  return JSON.stringify({ model: "claude-sonnet-4-5", max_tokens: 1_000, messages: [first, ...messages] });
}

async function ask(turns: number): Promise<void> {
  const headers = { "content-type": "application/json", "x-api-key": "key", "anthropic-version": "2023-06-01" };
  await (await fetch(`${gateway.url}/v1/messages`, { method: "POST", headers, body: body(turns) })).text();
}

let folded = 0;
gateway.activity.listen((activity: { readonly type: string; readonly foldIds?: readonly string[] }) => {
  if (activity.type === "request") folded = activity.foldIds?.length ?? 0;
});
const inspector = new Session();
inspector.connect();
await inspector.post("Profiler.enable");
for (let turns = 4; folded === 0 && turns < 60; turns++) {
  await inspector.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  await ask(turns);
  await new Promise((done) => setTimeout(done, 500));
  const { result } = await inspector.post("Profiler.takePreciseCoverage");
  await inspector.post("Profiler.stopPreciseCoverage");
  if (folded === 0) continue;
  const ours = result.filter((file) => file.url.startsWith(source));
  const run = ours.map((file) =>
    file.functions.filter(({ ranges, functionName }) => functionName !== "" && (ranges[0]?.count ?? 0) > 0),
  );
  if (flags.files)
    for (const file of ours.filter((_, index) => (run[index]?.length ?? 0) > 0))
      console.log(file.url.slice(source.length + 1));
  const files = run.filter((functions) => functions.length > 0);
  console.log(
    `${root}: ${files.length} files, ${files.flat().length} named functions, in the request that folds (${turns} turns)`,
  );
}
await gateway.close();
upstream.close();
