/** What one compaction without a model costs: in a session, by itself, again after a fold, and as the log grows. */
import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { compact, createEngine, type Message, type Session } from "palimpsest";
import { countMessagesTokens } from "palimpsest/core";
import { type BenchLog, codingLog, ledgerLogs } from "./ledger-logs.ts";

const LOG_TOKENS = 200_000;
const BUDGET_TOKENS = 8_000;
const NEW_MESSAGES = 20;
const RUNS = 40;
const WARM_UP_RUNS = 5;
const SIZES = [50_000, 100_000, 200_000, 400_000];
const RUNS_PER_SIZE = 15;

export async function benchLedger(): Promise<void> {
  console.log(`\nOne ledger compaction of ${LOG_TOKENS} tokens with counts cached, ${RUNS} runs, times in ms`);
  console.log(row("log", "compaction", "p50", "p95", "max", "CPU p50", "CPU p95"));
  for (const log of await ledgerLogs()) await benchLog(log);
  await benchGrowth();
}

/** Messages are new in each run, and said one by one, with time for a turn between them, as an agent does. */
async function benchLog({ name, build }: BenchLog): Promise<void> {
  const messages = build(LOG_TOKENS);
  const times = newRow();
  for (let run = -WARM_UP_RUNS; run < RUNS; run++) {
    const into = run < 0 ? newRow() : times;
    const session = await openSession(messages);
    await timed(into.first, () => condense(session));
    await say(session, freshCopy(messages.slice(-NEW_MESSAGES), `again-${run}-`));
    await session.prepare();
    await timed(into.second, () => condense(session));
    const copy = freshCopy(messages);
    await timed(into.alone, () => compact(copy, BUDGET_TOKENS));
    await timed(into.again, () => compact(copy, BUDGET_TOKENS));
  }
  console.log(row(name, "in a session", ...timesRow(times.first)));
  console.log(row("", `${NEW_MESSAGES} messages later`, ...timesRow(times.second)));
  console.log(row("", `compact ${BUDGET_TOKENS}`, ...timesRow(times.alone)));
  console.log(row("", "the same, read before", ...timesRow(times.again)));
}

async function openSession(messages: readonly Message[]) {
  const engine = createEngine({ model: "bench", contextWindow: 5 * LOG_TOKENS });
  const session = await engine.session("bench");
  await say(session, freshCopy(messages));
  await session.prepare();
  return session;
}

async function say(session: Session, messages: readonly Message[]): Promise<void> {
  for (const message of messages) {
    await session.append(message);
    // While a model writes its reply, new messages are read.
    await setImmediate();
  }
}

async function condense(session: Session): Promise<void> {
  const { error } = await session.condense();
  if (error !== undefined) throw new Error(`The bench measures nothing: ${error}`);
}

async function benchGrowth(): Promise<void> {
  console.log(
    `\nHow it grows: ${codingLog.name}, compact half, ${RUNS_PER_SIZE} runs; heap in MB that the log and its compaction hold`,
  );
  console.log(row("tokens", "messages", "p50 ms", "p95 ms", "log", "compaction", "bytes/token"));
  for (const size of SIZES) {
    const times = newTimes();
    for (let run = -2; run < RUNS_PER_SIZE; run++) {
      const copy = freshCopy(codingLog.build(size));
      await timed(run < 0 ? newTimes() : times, () => compact(copy, size / 2));
    }
    const { messages, logBytes, compactionBytes } = measureHeap(size);
    const cells = [
      quantile(times.wall, 0.5),
      quantile(times.wall, 0.95),
      megabytes(logBytes),
      megabytes(compactionBytes),
    ];
    console.log(row(String(size), String(messages), ...cells, (compactionBytes / size).toFixed(0)));
  }
}

function measureHeap(size: number) {
  const before = heapBytes();
  const messages = freshCopy(codingLog.build(size));
  const withLog = heapBytes();
  const folded = compact(messages, size / 2);
  const after = heapBytes();
  // Both are still in use here, so neither was collected before it was measured.
  if (folded.messages.length < messages.length) throw new Error("A fold never makes a log shorter.");
  return { messages: messages.length, logBytes: withLog - before, compactionBytes: after - withLog };
}

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

function heapBytes(): number {
  collectGarbage();
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

/** Nothing is known of these messages but their counts. */
function freshCopy(messages: readonly Message[], idPrefix = ""): readonly Message[] {
  const copy = structuredClone(messages).map((message) => ({ ...message, id: `${idPrefix}${message.id}` }));
  countMessagesTokens(copy);
  return copy;
}

interface Times {
  readonly wall: number[];
  readonly cpu: number[];
}

function newRow() {
  return { first: newTimes(), second: newTimes(), alone: newTimes(), again: newTimes() };
}

function newTimes(): Times {
  return { wall: [], cpu: [] };
}

/** Processor time beside that of the clock: other programs on the machine change the latter. */
async function timed({ wall, cpu }: Times, work: () => unknown): Promise<void> {
  const [start, startUsage] = [performance.now(), process.cpuUsage()];
  await work();
  wall.push(performance.now() - start);
  const { user, system } = process.cpuUsage(startUsage);
  cpu.push((user + system) / 1_000);
}

function timesRow({ wall, cpu }: Times): readonly string[] {
  return [quantile(wall, 0.5), quantile(wall, 0.95), quantile(wall, 1), quantile(cpu, 0.5), quantile(cpu, 0.95)];
}

function quantile(times: readonly number[], share: number): string {
  const sorted = times.toSorted((a, b) => a - b);
  return (sorted[Math.ceil(share * (sorted.length - 1))] ?? Number.NaN).toFixed(1);
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}

function row(...cells: readonly string[]): string {
  return cells.map((cell, index) => (index === 0 ? cell.padEnd(20) : cell.padStart(index === 1 ? 23 : 13))).join("");
}
