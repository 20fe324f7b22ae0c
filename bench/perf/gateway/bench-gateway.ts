/**
 * What a gateway adds to a request: ours, and Portkey's, beside the same request sent directly and through a proxy that only passes bytes on. Upstream, gateways and load are a
 * process each; all are measured in turns. `--quick` measures less, `--wires` only what the adapter of each API takes, `--recall-tool` that and what the recall tool adds where it is not called,
 * `--stalls` only how long one request keeps others waiting.
 */
import { measure } from "./measure.ts";
import { benchMemory } from "./memory.ts";
import { benchRecallTool } from "./recall-tool.ts";
import { printTargets, printWorkload, type WorkloadReport } from "./report.ts";
import { benchStalls } from "./stalls.ts";
import { accountOf, startTargets, type Target, type TargetName } from "./targets.ts";
import { benchWires } from "./wires.ts";
import { quick, STREAMED_WORKLOADS, WORKLOADS, type Workload } from "./workloads.ts";

const STOPS = [15_000, 20_000, 25_000];
const QUICK_STOPS = [1_000, 2_500, 5_000];
/** Conversations of each API. */
const [WIRE_ROUNDS, QUICK_WIRE_ROUNDS] = [30, 8];

export async function benchGateway(): Promise<void> {
  const isQuick = process.argv.includes("--quick");
  if (process.argv.includes("--stalls")) return benchStalls(isQuick);
  benchWires(isQuick ? QUICK_WIRE_ROUNDS : WIRE_ROUNDS);
  if (process.argv.includes("--wires")) return;
  await benchRecallTool(isQuick);
  if (process.argv.includes("--recall-tool")) return;
  const paced = isQuick ? quick : (workloads: readonly Workload[]) => workloads;
  const { all, end } = await startTargets();
  console.log(
    `\nA growing conversation through a gateway, all of it sent each time (Anthropic Messages; in SQLite, or "in memory"; "unknown": never seen before)`,
  );
  const reports: WorkloadReport[] = [];
  for (const workload of [...paced(WORKLOADS), ...paced(STREAMED_WORKLOADS)]) {
    const report = { workload, measured: await measure(workload, targetsFor(workload, all)) };
    printWorkload(report);
    reports.push(report);
  }
  await printAccounts(all);
  await end();
  printTargets(reports);
  await benchStalls(isQuick);
  await benchMemory(isQuick ? QUICK_STOPS : STOPS);
}

function targetsFor({ concurrency, isStreaming, steps }: Workload, all: readonly Target[]): readonly Target[] {
  const isWanted: Readonly<Record<TargetName, boolean>> = {
    direct: true,
    "bare proxy": true,
    Portkey: true,
    "folding off": true,
    "folding on": !isStreaming,
    // many large conversations take long to open
    "  in memory": !isStreaming && (concurrency === 1 || steps > 1),
    "  unknown": !isStreaming && concurrency === 1,
    // measured by itself, beside folding without it
    "  recall tool": false,
  };
  return all.filter(({ name }) => isWanted[name]);
}

async function printAccounts(targets: readonly Target[]): Promise<void> {
  for (const { name, child, isOurs, isCold } of targets) {
    if (child === undefined || !isOurs || isCold) continue;
    const { requests, foldingRequests, incidents } = await accountOf(child);
    console.log(`${name.trim()}: ${requests} requests, ${foldingRequests} of them made folds, ${incidents} incidents`);
  }
}
