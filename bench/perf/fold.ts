/**
 * What the request that folds costs beside one that fits, with time between requests and without. The last column is how many times the CPU time
 * of one that fits it takes, of the slowest in a hundred of each.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { createEngine, type EngineOptions, type Session } from "palimpsest";
import { type BenchLog, ledgerLogs } from "./ledger-logs.ts";

/** Sessions that fold when prices say so, and one that grows much longer before it does. */
const CASES: readonly FoldCase[] = [
  { name: "about 40k", logTokens: 250_000, options: { model: "claude-sonnet-4-5" } },
  {
    name: "about 200k",
    logTokens: 700_000,
    options: {
      model: "claude-sonnet-4-5",
      contextWindow: 300_000,
      configuration: { thresholds: { global: 70 } },
    },
  },
];
/** So long a model writes at least, and a tool runs: what is prepared ahead is prepared then. */
const IDLE_MS = 150;
/** What is prepared ahead is prepared near a fold: before, nobody needs to wait. */
const NEAR_TOKENS = 12_000;
const LOGS = ["coding (made up)", "claude-code"];

interface FoldCase {
  readonly name: string;
  readonly logTokens: number;
  readonly options: EngineOptions;
}

interface Times {
  readonly wall: number[];
  readonly cpu: number[];
}

interface RunTimes {
  readonly fits: Times;
  readonly folds: Times;
}

export async function benchFold(): Promise<void> {
  console.log("\nprepare() that folds, beside one that fits, in ms; CPU is that of the thread that prepares");
  console.log(row("log", "view", "between requests", "requests", "p50", "p99", "CPU p50", "CPU p99", "fold ÷ fit"));
  for (const log of await ledgerLogs()) {
    if (!LOGS.includes(log.name)) continue;
    for (const each of CASES) {
      await run(log, { ...each, logTokens: each.logTokens / 4 }, 0);
      print(log, each, "no time", await run(log, each, 0));
      print(log, each, `${IDLE_MS} ms`, await run(log, each, IDLE_MS));
    }
  }
}

async function run(log: BenchLog, { logTokens, options }: FoldCase, idleMs: number): Promise<RunTimes> {
  const session = await createEngine(options).session("bench");
  const times: RunTimes = { fits: newTimes(), folds: newTimes() };
  // Nothing is known of these messages, as of those of a new session.
  for (const message of structuredClone(log.build(logTokens))) {
    await session.append(message);
    if (message.role === "user") await prepare(session, times, idleMs);
  }
  return times;
}

async function prepare(session: Session, times: RunTimes, idleMs: number): Promise<void> {
  const [start, cpuStart] = [performance.now(), threadCpuMicroseconds()];
  const { report } = await session.prepare();
  const cpuMicroseconds = threadCpuMicroseconds() - cpuStart;
  const into = report.foldIds.length > 0 ? times.folds : times.fits;
  into.wall.push(performance.now() - start);
  into.cpu.push(cpuMicroseconds / 1_000);
  session.observe({ inputTokens: report.promptTokens });
  const { foldsAtTokens = Number.POSITIVE_INFINITY, promptTokens } = report;
  if (idleMs > 0 && promptTokens > foldsAtTokens - NEAR_TOKENS) await sleep(idleMs);
}

/** Linux brings the time of a thread up to date every four milliseconds, and whenever that of the process is asked for. */
function threadCpuMicroseconds(): number {
  process.cpuUsage();
  const { user, system } = process.threadCpuUsage();
  return user + system;
}

function print(log: BenchLog, { name }: FoldCase, between: string, { fits, folds }: RunTimes): void {
  console.log(row(log.name, name, between, `${fits.wall.length} fit`, ...cells(fits)));
  const ratio = (quantile(folds.cpu, 0.99) / quantile(fits.cpu, 0.99)).toFixed(1);
  console.log(row("", "", "", `${folds.wall.length} fold`, ...cells(folds), ratio));
}

function cells({ wall, cpu }: Times): readonly string[] {
  return [wall, cpu].flatMap((times) => [quantile(times, 0.5).toFixed(2), quantile(times, 0.99).toFixed(2)]);
}

function newTimes(): Times {
  return { wall: [], cpu: [] };
}

function quantile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.ceil(share * (sorted.length - 1))] ?? Number.NaN;
}

function row(...values: readonly string[]): string {
  return values
    .map((value, index) => (index === 0 ? value.padEnd(18) : value.padStart(index < 4 ? 17 : index < 8 ? 9 : 12)))
    .join("");
}
