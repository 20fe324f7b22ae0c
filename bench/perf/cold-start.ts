/** How long commands take from nothing to their first answer, beside an empty script of the same Node. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { milliseconds, quantile, ratio, row } from "./stores/times.ts";

const ROUNDS = 15;
const CLI = join(import.meta.dirname, "../../dist/cli/main.js");

/** A command that is ended once it has answered. */
interface Start {
  readonly name: string;
  readonly arguments: readonly string[];
  /** What its standard output has when it is ready. @default it is ready when it has ended */
  readonly ready?: RegExp;
}

interface Started {
  readonly readyMs: number;
  /** Of all its threads, until it had ended. */
  readonly cpuMs: number;
}

/** Prints `palimpsest --version` and `palimpsest up` as multiples of an empty script, by the clock and in processor time. */
export async function benchColdStart(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-bench-"));
  const empty = join(folder, "empty.mjs");
  writeFileSync(empty, "");
  const preload = join(folder, "preload.cjs");
  writeFileSync(preload, PRELOAD);
  const store = join(folder, "store.db");
  const starts: readonly Start[] = [
    { name: "an empty script", arguments: [empty] },
    { name: "palimpsest --version", arguments: [CLI, "--version"] },
    { name: "palimpsest up", arguments: [CLI, "up", "--port", "0", "--store", store], ready: /listens at/ },
  ];
  const measured = starts.map((start) => ({ start, times: [] as Started[] }));
  // In turns, so that whatever else the machine does hits all of them alike; the first round fills the caches.
  for (let round = -1; round < ROUNDS; round++) {
    for (const { start, times } of measured) {
      const started = await run(start, preload);
      if (round >= 0) times.push(started);
    }
  }
  rmSync(folder, { recursive: true });
  console.log(`\nCold start, medians of ${ROUNDS}`);
  console.log(row("", "ready ms", "÷ empty", "CPU ms", "÷ empty"));
  const medians = measured.map(({ times }) => ({ readyMs: median(times, "readyMs"), cpuMs: median(times, "cpuMs") }));
  const [floor] = medians;
  for (const [index, { readyMs, cpuMs }] of medians.entries()) {
    const shares = [readyMs / (floor?.readyMs ?? Number.NaN), cpuMs / (floor?.cpuMs ?? Number.NaN)].map(ratio);
    const [ofReady = "", ofCpu = ""] = shares;
    console.log(row(starts[index]?.name ?? "", milliseconds(readyMs), ofReady, milliseconds(cpuMs), ofCpu));
  }
}

/** Says at the end what the process used of a processor. */
const PRELOAD = `process.on("exit", () => {
  const { user, system } = process.cpuUsage();
  require("node:fs").writeSync(2, "cpu " + (user + system));
});`;

async function run({ arguments: given, ready }: Start, preload: string): Promise<Started> {
  const start = performance.now();
  const child = spawn(process.execPath, ["--require", preload, ...given], { stdio: ["ignore", "pipe", "pipe"] });
  let [output, errors] = ["", ""];
  let readyMs: number | undefined;
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk.toString();
    if (readyMs !== undefined || ready?.test(output) !== true) return;
    readyMs = performance.now() - start;
    child.kill("SIGTERM");
  });
  child.stderr.on("data", (chunk: Buffer) => {
    errors += chunk.toString();
  });
  const ended = once(child, "exit").then(() => performance.now() - start);
  await once(child, "close");
  const cpuMs = Number(/cpu (\d+)/.exec(errors)?.[1]) / 1_000;
  if (Number.isNaN(cpuMs)) throw new Error(`${given.join(" ")} did not end by itself: ${errors}`);
  return { readyMs: readyMs ?? (await ended), cpuMs };
}

function median(times: readonly Started[], field: keyof Started): number {
  return quantile(
    times.map((each) => each[field]),
    0.5,
  );
}
