/** What the gateway's recall tool adds to requests with folds in which the model does not call it, beside the same without. */
import { milliseconds, quantile } from "../stores/times.ts";
import { startChild } from "./child.ts";
import { connect } from "./client.ts";
import { measure } from "./measure.ts";
import { printTarget } from "./report.ts";
import { startGatewayChild, type Target } from "./targets.ts";
import { NARROW_WINDOWS, quick, STREAMED_WORKLOADS, WORKLOADS, type Workload } from "./workloads.ts";

const MOST_ADDED_MS = 0.1;

export async function benchRecallTool(isQuick: boolean): Promise<void> {
  const upstream = await startChild("upstream-process.ts");
  const settings = { upstreamUrl: upstream.url, store: "sqlite", windows: NARROW_WINDOWS } as const;
  const [without, having] = await Promise.all([
    startGatewayChild(settings),
    startGatewayChild({ ...settings, recallTool: true }),
  ]);
  const targets: readonly Target[] = [
    { name: "folding on", client: connect(without.url), gateway: without, isCold: false },
    { name: "  recall tool", client: connect(having.url), gateway: having, isCold: false },
  ];
  console.log("\nThe recall tool, offered and not called (Anthropic Messages, SQLite, conversations with folds)");
  const oneAtATime = [...WORKLOADS.slice(0, 3), ...STREAMED_WORKLOADS].filter(({ concurrency }) => concurrency === 1);
  for (const workload of isQuick ? quick(oneAtATime) : oneAtATime) await printAdded(workload, targets);
  for (const { client } of targets) await client.close();
  for (const child of [without, having, upstream]) await child.end();
}

async function printAdded(workload: Workload, targets: readonly Target[]): Promise<void> {
  const [without, having] = (await measure(workload, targets)).map(({ latenciesMs, shares }) => ({
    p50: quantile(latenciesMs, 0.5),
    count: latenciesMs.length,
    folded: shares.folded,
  }));
  if (without === undefined || having === undefined) return;
  const added = having.p50 - without.p50;
  const figures = `${milliseconds(without.p50)} → ${milliseconds(having.p50)} ms at p50 of ${having.count} requests`;
  const share = `${Math.round(having.folded * 100)} % with folds`;
  printTarget(
    added <= MOST_ADDED_MS,
    `${workload.name}: ${figures}, ${share}: adds ${milliseconds(added)} ms (≤ ${MOST_ADDED_MS} ms)`,
  );
}
