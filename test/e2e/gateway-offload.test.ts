/** Large tool outputs in files: an agent of this machine opens what the gateway has folded, by the path in the stand-in. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { ModelServer } from "../../src/testing/index.ts";
import { invalidRequests } from "../support/gateway-script.ts";
import { listSessions } from "../support/gateway-sessions.ts";
import { startServer } from "../support/gateway-world.ts";
import { type PalimpsestProcess, startPalimpsest, unhurried } from "../support/palimpsest-process.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const WINDOW = 60_000;

const LARGE = 12;

/** Twelve large outputs, then small ones: to clear the large ones is enough. */
const outputOf = (index: number) => `file ${index}:\n${`line of file ${index}\n`.repeat(index < LARGE ? 1_000 : 10)}`;

/** A history of so many reads as Anthropic's API takes it. */
function history(reads: number): readonly object[] {
  return [
    { role: "user", content: "Read them all." },
    ...Array.from({ length: reads }, (_, index) => [
      {
        role: "assistant",
        content: [{ type: "tool_use", id: `toolu_${index}`, name: "read", input: { path: `${index}.ts` } }],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: `toolu_${index}`, content: outputOf(index) }] },
    ]).flat(),
  ];
}

async function send(url: string, reads: number): Promise<void> {
  const tools = [{ name: "read", description: "Reads a file.", input_schema: { type: "object" } }];
  const body = { model: "claude-sonnet-4-5", max_tokens: 500, tools, messages: history(reads) };
  const headers = { "content-type": "application/json", "x-api-key": "k", "anthropic-version": "2023-06-01" };
  const reply = await fetch(`${url}/v1/messages`, { method: "POST", headers, body: JSON.stringify(body) });
  expect([reply.status, (await reply.text()).length > 0]).toEqual([200, true]);
}

async function startUp({ url }: ModelServer, options: readonly string[]) {
  const gateway = startPalimpsest([
    "up",
    "--json",
    "--upstream",
    url,
    "--window",
    String(WINDOW),
    "--port",
    "0",
    ...options,
    ...unhurried(),
  ]);
  onTestFinished(() => end(gateway));
  const facts: { readonly url: string } = JSON.parse(await gateway.shows(/^\{.*\}\n/));
  return { gateway, url: facts.url };
}

async function end(gateway: PalimpsestProcess): Promise<void> {
  gateway.kill("SIGKILL");
  await gateway.ended;
}

/** The paths that the last request upstream names, by what was read. */
function namedPaths({ requests }: ModelServer): ReadonlyMap<number, string> {
  const body = requests.at(-1)?.rawBody ?? "";
  const found = body.matchAll(/\[read (\d+)\.ts: [\d,]+ tokens hidden in fold clear-\w+; whole output in ([^\]]+)\]/g);
  return new Map([...found].map((match) => [Number(match[1]), match[2] ?? ""]));
}

test("a local agent opens what was folded; a restart sends the same bytes; deleting the session deletes the files", async () => {
  const [store, folder] = [join(temporaryFolder(), "sessions.db"), join(temporaryFolder(), "outputs")];
  const server = await startServer({ contextWindow: WINDOW });
  const options = ["--store", store, "--offload", folder];
  const first = await startUp(server, options);
  await send(first.url, 22);
  const paths = namedPaths(server);
  expect([...paths.keys()]).toEqual(Array.from({ length: LARGE }, (_, index) => index));
  for (const [index, path] of paths) {
    expect(path.startsWith(folder)).toBe(true);
    expect(readFileSync(path, "utf8")).toBe(outputOf(index));
    expect(statSync(path).mode & 0o777).toBe(0o600);
  }
  const [folded = ""] = server.requests.map(({ rawBody }) => rawBody).slice(-1);

  await end(first.gateway);
  const second = await startUp(server, ["--store", store]);
  await send(second.url, 22);
  expect(server.requests.at(-1)?.rawBody).toBe(folded);
  expect(invalidRequests(server)).toEqual([]);
  const [id = ""] = await listSessions(second.url);
  await end(second.gateway);

  const remove = (...more: readonly string[]) =>
    startPalimpsest(["sessions", "delete", id, "--yes", "--json", "--store", store, ...more]).ended;
  expect(JSON.parse((await remove("--offload", folder)).stdout)).toEqual({ id, deleted: true, left: [] });
  expect(readdirSync(folder)).toEqual([]);
});

test("deleting a session without naming the folder says where its files are left", async () => {
  const [store, folder] = [join(temporaryFolder(), "sessions.db"), join(temporaryFolder(), "outputs")];
  const server = await startServer({ contextWindow: WINDOW });
  const { url, gateway } = await startUp(server, ["--store", store, "--offload", folder]);
  await send(url, 22);
  const [path = ""] = namedPaths(server).values();
  const [id = ""] = await listSessions(url);
  await end(gateway);
  const { stdout } = await startPalimpsest(["sessions", "delete", id, "--yes", "--store", store]).ended;
  expect(stdout).toContain(`Tool outputs of it are still in ${dirname(path)}: delete them by hand.`);
});
