/** Prints what bench/perf/gateway measured, and whether it is what was aimed at. */
import { milliseconds, quantile, ratio } from "../stores/times.ts";
import type { Measured } from "./measure.ts";
import type { TargetName } from "./targets.ts";
import type { Workload } from "./workloads.ts";

export interface WorkloadReport {
  readonly workload: Workload;
  readonly measured: readonly Measured[];
}

/** What we add to a request at most, as a share of what Portkey adds, and of what a bare proxy adds to a small one. */
const [MOST_OF_PORTKEY, MOST_OF_BARE_PROXY] = [0.5, 1.5];
/** Requests per second at least, as a share of Portkey's. */
const LEAST_OF_PORTKEY = 1.5;
const MOST_FIRST_BYTE_MS = 1;
/** The rows that are compared with Portkey: known conversations in the default store. */
const COMPARED: ReadonlySet<TargetName> = new Set(["folding off", "folding on"]);

const HEADINGS = [
  "p50 ms",
  "p99 ms",
  "added p50",
  "÷ bare proxy",
  "÷ Portkey",
  "requests/s",
  "÷ Portkey",
  "CPU µs",
  "÷ bare proxy",
  "÷ Portkey",
];

export function printWorkload({ workload, measured }: WorkloadReport): void {
  const count = measured[0]?.latenciesMs.length ?? 0;
  console.log(`\n${workload.name} (${count} requests each)`);
  console.log(line("", HEADINGS));
  for (const each of measured) {
    const [p50, p99] = [median(each), quantile(each.latenciesMs, 0.99)];
    const { addedMs, ofBareProxy, ofPortkey } = comparedIn(measured, each);
    const isAdded = each.target.child !== undefined;
    console.log(
      line(each.target.name, [
        milliseconds(p50),
        milliseconds(p99),
        isAdded ? milliseconds(addedMs) : "",
        isAdded ? ratio(ofBareProxy.added) : "",
        isAdded ? ratio(ofPortkey.added) : "",
        each.requestsPerSecond.toFixed(each.requestsPerSecond < 100 ? 1 : 0),
        ratio(ofPortkey.rate),
        each.cpuMicroseconds?.toFixed(0) ?? "",
        isAdded ? ratio(ofBareProxy.cpu) : "",
        isAdded ? ratio(ofPortkey.cpu) : "",
      ]),
    );
  }
  for (const remark of remarksOn(measured)) console.log(`  ${remark}`);
}

/** As shares of what another target has, by the same requests. */
interface Shares {
  readonly added: number;
  readonly rate: number;
  readonly cpu: number;
}

interface Compared {
  /** At the median, to the same request sent directly. */
  readonly addedMs: number;
  readonly ofBareProxy: Shares;
  readonly ofPortkey: Shares;
}

function comparedIn(measured: readonly Measured[], own: Measured): Compared {
  const direct = median(named(measured, "direct"));
  const addedMs = median(own) - direct;
  const sharesOf = (other: Measured | undefined): Shares => ({
    added: addedMs / (median(other) - direct),
    rate: own.requestsPerSecond / (other?.requestsPerSecond ?? Number.NaN),
    cpu: (own.cpuMicroseconds ?? Number.NaN) / (other?.cpuMicroseconds ?? Number.NaN),
  });
  const [bareProxy, portkey] = [named(measured, "bare proxy"), named(measured, "Portkey")];
  return { addedMs, ofBareProxy: sharesOf(bareProxy), ofPortkey: sharesOf(portkey) };
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
    for (const each of measured.filter(({ target }) => COMPARED.has(target.name))) {
      const name = `${workload.name}, ${each.target.name}`;
      const { addedMs, ofBareProxy, ofPortkey } = comparedIn(measured, each);
      const figures = `adds ${milliseconds(addedMs)} ms at p50, ${ratio(ofPortkey.added)} of what Portkey adds (≤ ${MOST_OF_PORTKEY} ×); requests/s ${ratio(ofPortkey.rate)} (≥ ${LEAST_OF_PORTKEY} ×)`;
      printTarget(ofPortkey.added <= MOST_OF_PORTKEY && ofPortkey.rate >= LEAST_OF_PORTKEY, `${name}: ${figures}`);
      if (workload.concurrency > 1) continue;
      if (workload.isStreaming) printFirstByte(name, each, named(measured, "direct"));
      else if (workload.size.name === "1 KB") {
        const share = `${ratio(ofBareProxy.added)} of what a bare proxy adds (≤ ${MOST_OF_BARE_PROXY} ×)`;
        printTarget(ofBareProxy.added <= MOST_OF_BARE_PROXY, `${name}: ${share}`);
      }
    }
  }
}

/** What we add to the wait for the first byte of a stream, at the 99th percentile of both. */
function printFirstByte(name: string, own: Measured, direct: Measured | undefined): void {
  const added = quantile(own.firstByteMs, 0.99) - quantile(direct?.firstByteMs ?? [], 0.99);
  const text = `${name}: the first byte ${milliseconds(added)} ms later at p99 (< ${MOST_FIRST_BYTE_MS} ms)`;
  printTarget(added < MOST_FIRST_BYTE_MS, text);
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

export function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`;
}

function line(first: string, cells: readonly string[]): string {
  return first.padEnd(14) + cells.map((cell) => cell.padStart(14)).join("");
}
