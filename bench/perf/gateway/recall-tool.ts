/** What the gateway's recall tool adds to requests with folds in which the model does not call it, beside the same without. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { countTextTokens } from "palimpsest";
import { WIRE_ADAPTERS, type Windows } from "palimpsest/gateway";
import { sqliteStore } from "palimpsest/stores/sqlite";
import { milliseconds, quantile } from "../stores/times.ts";
import { startChild } from "./child.ts";
import { startConversation } from "./conversations.ts";
import { measure, type Shares } from "./measure.ts";
import { percent, printTarget } from "./report.ts";
import { ourTarget, startGatewayChild, type Target } from "./targets.ts";
import { NARROW_WINDOWS, quick, STREAMED_WORKLOADS, WORKLOADS, type Workload } from "./workloads.ts";

const MOST_ADDED_MS = 0.1;

const OWN_ROUNDS = 2_000;

/** Our own part of one request and its reply of thirty events, without the network: the definition, the look at the store, the relay. */
async function benchOwnPart(): Promise<void> {
  const [adapter] = WIRE_ADAPTERS;
  const recall = adapter?.recall;
  if (adapter === undefined || recall === undefined) throw new Error("The first adapter has the tool.");
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-bench-"));
  const store = sqliteStore({ path: join(folder, "store.sqlite") });
  const conversation = startConversation({ model: "claude-sonnet-4-5", bytes: 80_000, resultBytes: 1_500 });
  const body = conversation.next().body.toString();
  const request = adapter.readRequest({ path: "/v1/messages", body });
  if (request === undefined) throw new Error("It is a request.");
  const [times, cpuTimes]: [number[], number[]] = [[], []];
  for (let round = 0; round < OWN_ROUNDS; round++) {
    const [start, cpuStart] = [performance.now(), process.cpuUsage()];
    await store.search([`r:${round}`]);
    recall.offer(body, request);
    const relay = recall.relay();
    for (const event of EVENTS) relay.push(event);
    relay.end();
    relay.close();
    const { user, system } = process.cpuUsage(cpuStart);
    if (round >= OWN_ROUNDS / 2) {
      times.push(performance.now() - start);
      cpuTimes.push((user + system) / 1_000);
    }
    if (round % 32 === 31) await setImmediate();
  }
  await store.close();
  rmSync(folder, { recursive: true });
  const p50 = quantile(cpuTimes, 0.5);
  const clock = `${milliseconds(quantile(times, 0.5))} ms by the clock`;
  printTarget(
    p50 <= MOST_ADDED_MS,
    `our own part, streamed in 30 events: ${milliseconds(p50)} ms of processor time at p50 (≤ ${MOST_ADDED_MS} ms), ${clock}`,
  );
}

const EVENTS = Array.from({ length: 30 }, (_, at) => {
  const delta = { type: "text_delta", text: "Some words of a reply. " };
  const type = at === 1 ? "content_block_start" : "content_block_delta";
  const block = at === 1 ? { content_block: { type: "text", text: "" } } : { delta };
  return `event: ${type}\ndata: ${JSON.stringify({ type, index: 0, ...block })}\n\n`;
});

export async function benchRecallTool(isQuick: boolean): Promise<void> {
  const upstream = await startChild("upstream-process.ts");
  const settings = { upstreamUrl: upstream.url, store: "sqlite", windows: NARROW_WINDOWS } as const;
  const [without, having] = await Promise.all([
    startGatewayChild(settings),
    startGatewayChild({ ...settings, windows: withRoomForTool(NARROW_WINDOWS), recallTool: true }),
  ]);
  const targets: readonly Target[] = [ourTarget("folding on", without), ourTarget("  recall tool", having)];
  console.log("\nThe recall tool, offered and not called (Anthropic Messages, SQLite, conversations with folds)");
  const oneAtATime = [...WORKLOADS.slice(0, 3), ...STREAMED_WORKLOADS]
    .filter(({ concurrency }) => concurrency === 1)
    .map(outgrowingBoth);
  for (const workload of isQuick ? quick(oneAtATime) : oneAtATime) await printAdded(workload, targets);
  await benchOwnPart();
  for (const { client } of targets) await client.close();
  for (const child of [without, having, upstream]) await child.end();
}

/** In bytes, of the first request: beyond the smallest window with room for the tool. */
const OUTGROWING_BYTES = 1_300;

/** So that both sides have folds from the first request on: the tool is offered beside folds alone, and its room would be left to a conversation without. */
function outgrowingBoth(workload: Workload): Workload {
  const { size, name } = workload;
  if (size.conversation.bytes > OUTGROWING_BYTES) return workload;
  const conversation = { ...size.conversation, bytes: OUTGROWING_BYTES };
  return { ...workload, name: name.replace(size.name, "2 KB"), size: { ...size, name: "2 KB", conversation } };
}

/** So that both sides fold the same: otherwise the definition takes most of the smallest window, and its side folds more often. */
function withRoomForTool({ models = {} }: Windows): Windows {
  const toolTokens = countTextTokens(JSON.stringify(WIRE_ADAPTERS[0]?.recall?.definition));
  return { models: Object.fromEntries(Object.entries(models).map(([model, tokens]) => [model, tokens + toolTokens])) };
}

async function printAdded(workload: Workload, targets: readonly Target[]): Promise<void> {
  const [without, having] = (await measure(workload, targets)).map(
    ({ latenciesMs, shares, cpuMicroseconds = Number.NaN }) => ({
      p50: quantile(latenciesMs, 0.5),
      cpuMs: cpuMicroseconds / 1_000,
      count: latenciesMs.length,
      shares,
    }),
  );
  if (without === undefined || having === undefined) return;
  const [added, addedCpu] = [having.p50 - without.p50, having.cpuMs - without.cpuMs];
  const figures = `${milliseconds(without.p50)} → ${milliseconds(having.p50)} ms at p50 of ${having.count} requests`;
  const share = `${changeOf(without, having, "folded")} with folds, ${changeOf(without, having, "newlyFolded")} with new ones`;
  const cpu = `of processor time ${milliseconds(without.cpuMs)} → ${milliseconds(having.cpuMs)} ms: adds ${milliseconds(addedCpu)} ms`;
  printTarget(
    added <= MOST_ADDED_MS,
    `${workload.name}: ${figures}, ${share}: adds ${milliseconds(added)} ms (≤ ${MOST_ADDED_MS} ms); ${cpu}`,
  );
}

interface HavingShares {
  readonly shares: Shares;
}

/** One share of the requests on both sides. */
function changeOf(without: HavingShares, having: HavingShares, name: "folded" | "newlyFolded"): string {
  return `${percent(without.shares[name])} → ${percent(having.shares[name])}`;
}
