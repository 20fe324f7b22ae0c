/** Prints what bench/perf/gateway measured, and whether it is what was aimed at. */
import { milliseconds, quantile, ratio } from "../stores/times.ts";
import type { Measured } from "./measure.ts";
import type { TargetName } from "./targets.ts";
import type { Workload } from "./workloads.ts";

export interface WorkloadReport {
  readonly workload: Workload;
  readonly measured: readonly Measured[];
}

/** What we add to a request at most, by the size of its body, where one is sent at a time. */
const MOST_ADDED_MS: Readonly<Record<string, number>> = { "1 KB": 1, "400 KB": 5 };
/** The rows that are compared with Portkey: known conversations in the default store. */
const COMPARED: ReadonlySet<TargetName> = new Set(["folding off", "folding on"]);

const HEADINGS = ["p50 ms", "p99 ms", "added p50", "requests/s", "p50 ÷ direct", "p50 ÷ Portkey", "req/s ÷ Portkey"];

export function printWorkload({ workload, measured }: WorkloadReport): void {
  const count = measured[0]?.latenciesMs.length ?? 0;
  console.log(`\n${workload.name} (${count} requests each)`);
  console.log(line("", HEADINGS));
  const [direct, portkey] = [named(measured, "direct"), named(measured, "Portkey")];
  for (const each of measured) {
    const [p50, p99] = [median(each), quantile(each.latenciesMs, 0.99)];
    console.log(
      line(each.target.name, [
        milliseconds(p50),
        milliseconds(p99),
        each === direct ? "" : milliseconds(p50 - median(direct)),
        each.requestsPerSecond.toFixed(each.requestsPerSecond < 100 ? 1 : 0),
        ratio(p50 / median(direct)),
        ratio(p50 / median(portkey)),
        ratio(each.requestsPerSecond / (portkey?.requestsPerSecond ?? Number.NaN)),
      ]),
    );
  }
  for (const remark of remarksOn(measured)) console.log(`  ${remark}`);
}

/** How folds were met, and what would make the figures worthless. */
function remarksOn(measured: readonly Measured[]): readonly string[] {
  return measured.flatMap(({ target: { name }, shares }) => {
    const [folded, made, same] = [shares.folded, shares.newlyFolded, shares.sameLength].map(percent);
    if (name === "folding on") return [`folding on: ${folded} of the requests had folds, ${made} got new ones`];
    if (name === "Portkey" || shares.sameLength === 1) return [];
    return [`${name.trim()}: only ${same} of the requests arrived with as many bytes as they had`];
  });
}

export function printTargets(reports: readonly WorkloadReport[]): void {
  console.log("\nWhat is aimed at");
  for (const { workload, measured } of reports) {
    const [direct, portkey] = [named(measured, "direct"), named(measured, "Portkey")];
    const most = workload.concurrency === 1 && !workload.isStreaming ? MOST_ADDED_MS[workload.size.name] : undefined;
    for (const each of measured.filter(({ target }) => COMPARED.has(target.name))) {
      const name = `${workload.name}, ${each.target.name}`;
      const added = median(each) - median(direct);
      if (most !== undefined)
        printTarget(added < most, `${name}: adds ${milliseconds(added)} ms at p50 (< ${most} ms)`);
      const [slower, rate] = [
        median(each) / median(portkey),
        each.requestsPerSecond / (portkey?.requestsPerSecond ?? Number.NaN),
      ];
      printTarget(slower <= 1 && rate >= 1, `${name}: p50 ${ratio(slower)}, requests/s ${ratio(rate)} of Portkey's`);
    }
  }
}

export function printTarget(isMet: boolean, text: string): void {
  console.log(`  ${isMet ? "met   " : "MISSED"}  ${text}`);
}

function named(measured: readonly Measured[], name: TargetName): Measured | undefined {
  return measured.find(({ target }) => target.name === name);
}

function median(measured: Measured | undefined): number {
  return quantile(measured?.latenciesMs ?? [], 0.5);
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`;
}

function line(first: string, cells: readonly string[]): string {
  return first.padEnd(14) + cells.map((cell) => cell.padStart(17)).join("");
}
