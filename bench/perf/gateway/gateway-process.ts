/** Our gateway, with what `palimpsest up` has by default: SQLite in a file, 64 open sessions. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { startGateway } from "palimpsest/gateway";
import { memoryStore } from "palimpsest/stores/memory";
import { sqliteStore } from "palimpsest/stores/sqlite";
import { answerParent, stayWithParent } from "./child.ts";
import { watchLoop } from "./loop-watch.ts";
import type { GatewayAccount, GatewaySettings } from "./targets.ts";

const BYTES_PER_MEGABYTE = 1024 * 1024;

const settings: GatewaySettings = JSON.parse(process.argv[2] ?? "{}");
const folder = mkdtempSync(join(tmpdir(), "palimpsest-bench-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
const { path = join(folder, "store.sqlite") } = settings;
const store = settings.store === "memory" ? memoryStore() : sqliteStore({ path });
const upstreams = { anthropic: settings.upstreamUrl };
const gateway = await startGateway({
  port: 0,
  store,
  upstreams,
  windows: settings.windows,
  configuration: settings.configuration,
  recallTool: settings.recallTool,
});

const counts = { requests: 0, foldingRequests: 0, incidents: 0 };
gateway.activity.listen((activity) => {
  if (activity.type === "incident") counts.incidents += 1;
  if (activity.type !== "request") return;
  counts.requests += 1;
  if (activity.foldIds.length > 0) counts.foldingRequests += 1;
});

// A timer of a millisecond costs more than some requests.
const loop = settings.watchesLoop ? watchLoop() : undefined;

answerParent(answerTo, async () => {
  // Sessions are shown when all that was sent is in them; what else is to be done takes a few turns of the loop.
  await fetch(`${gateway.url}/palimpsest/api/sessions?limit=1`).then((reply) => reply.text());
  for (let turn = 0; turn < 3; turn++) await setImmediate();
});
stayWithParent(async () => {
  await gateway.close();
  await store.close();
});
process.send?.(gateway.url);

function answerTo(question: unknown): unknown {
  if (question === "account") return account();
  return question === "longest-block" ? loop?.take() : question;
}

function account(): GatewayAccount {
  // Twice: the first one only finds what the second one may free.
  for (let round = 0; round < 2; round++) globalThis.gc?.();
  const { rss, heapUsed } = process.memoryUsage();
  return { ...counts, rssMegabytes: rss / BYTES_PER_MEGABYTE, heapMegabytes: heapUsed / BYTES_PER_MEGABYTE };
}
