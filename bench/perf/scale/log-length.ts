/** What a session's operations cost when more and more of its log is hidden. The visible part is the same in each. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { createEngine, type Engine, type Session } from "palimpsest";
import { sqliteStore } from "palimpsest/stores/sqlite";
import { milliseconds, quantile, ratio, row } from "../stores/times.ts";
import { fillFolded, turns, VISIBLE_MESSAGES } from "./folded-log.ts";

/** `npm run bench -- scale --million` takes many minutes more. */
const SIZES = [1_000, 10_000, 100_000, ...(process.argv.includes("--million") ? [1_000_000] : [])];
const REPEATS = 100;
/** What nobody waits for is written meanwhile. */
const SETTLE_MS = 300;
const MEGABYTE = 1024 ** 2;

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

/** Processor time in milliseconds, by what was done. */
type Costs = Readonly<Record<string, number>>;

export async function benchLogLength(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "palimpsest-scale-"));
  console.log(
    `\nA session in SQLite of which all but ${VISIBLE_MESSAGES} messages are hidden; processor time in ms, and of the shortest`,
  );
  const measured: (readonly [size: number, costs: Costs])[] = [];
  for (const size of SIZES) measured.push([size, await measureSize(join(folder, `${size}.db`), size)]);
  console.log(row("messages", ...measured.map(([size]) => String(size)), ...SIZES.slice(1).map(() => "of 1,000")));
  const [, first = {}] = measured[0] ?? [];
  for (const name of Object.keys(first)) {
    const values = measured.map(([, costs]) => costs[name] ?? Number.NaN);
    const ratios = values.slice(1).map((value) => ratio(value / (values[0] ?? Number.NaN)));
    console.log(row(name, ...values.map(milliseconds), ...ratios));
  }
  await rm(folder, { recursive: true });
}

async function measureSize(path: string, size: number): Promise<Costs> {
  const filling = sqliteStore({ path });
  const filled = await engineOver(filling).session("long");
  await fillFolded(filled, size);
  await filled.prepare();
  filled.observe({ inputTokens: 10_000, outputTokens: 100 });
  await filled.append(...turns(2, 5_000_000));
  await setTimeout(SETTLE_MS);
  filled.close();
  await filling.close();
  // Once for what a process does only once: reading the vocabulary, compiling.
  await open(path, async (session) => void (await session.prepare()));
  return {
    ...(await open(path, measureTurns)),
    ...(await open(path, measureFold)),
    ...(await open(path, measurePast)),
  };
}

function engineOver(store: ReturnType<typeof sqliteStore>): Engine {
  // Larger than what is visible: nothing is folded but by hand.
  return createEngine({ model: "bench", contextWindow: 200_000, store });
}

async function open<Value>(path: string, use: (session: Session, store: StoreUse) => Promise<Value>): Promise<Value> {
  const store = sqliteStore({ path });
  await store.list();
  collectGarbage();
  const heapBefore = process.memoryUsage().heapUsed;
  const [openMs, session] = await cpu(() => engineOver(store).session("long"));
  try {
    return await use(session, { openMs, heapBefore });
  } finally {
    session.close();
    await setTimeout(SETTLE_MS);
    await store.close();
  }
}

interface StoreUse {
  readonly openMs: number;
  readonly heapBefore: number;
}

/** What every turn does. */
async function measureTurns(session: Session, { openMs, heapBefore }: StoreUse): Promise<Costs> {
  const [viewMs] = await cpu(() => session.view());
  const [firstMs] = await cpu(() => session.prepare());
  const [append, prepare]: [number[], number[]] = [[], []];
  for (const message of turns(REPEATS, 10_000_000)) {
    append.push((await cpu(() => session.append(message)))[0]);
    prepare.push((await cpu(() => session.prepare()))[0]);
  }
  collectGarbage();
  const heapMb = (process.memoryUsage().heapUsed - heapBefore) / MEGABYTE;
  return {
    "open, first view": openMs + viewMs,
    "first prepare": firstMs,
    "append p50": quantile(append, 0.5),
    "prepare p50": quantile(prepare, 0.5),
    "heap of turns, MB": heapMb,
  };
}

async function measureFold(session: Session): Promise<Costs> {
  const [foldMs, { error }] = await cpu(() => session.condense());
  if (error !== undefined) throw new Error(`The bench measures something else: ${error}`);
  await session.append(...turns(VISIBLE_MESSAGES, 20_000_000));
  const [againMs] = await cpu(() => session.condense());
  return { "first fold": foldMs, "second fold": againMs };
}

/** What looks at the hidden part. */
async function measurePast(session: Session): Promise<Costs> {
  const query = "the request about part 12 and what was done";
  const [recallMs] = await cpu(() => session.recall(query));
  const [recallAgainMs] = await cpu(() => session.recall(query));
  const version = await session.version();
  const [rewindMs] = await cpu(() => session.rewind({ toVersion: version - 10 }));
  const [undoMs] = await cpu(() => session.rewind({ undo: true }));
  const [fold] = await session.folds();
  const [restoreMs] = await cpu(() => session.restore(fold?.foldId ?? ""));
  return {
    "first recall": recallMs,
    "second recall": recallAgainMs,
    rewind: rewindMs,
    "undo a rewind": undoMs,
    restore: restoreMs,
  };
}

async function cpu<Value>(work: () => Promise<Value>): Promise<readonly [number, Value]> {
  const start = process.cpuUsage();
  const value = await work();
  const { user, system } = process.cpuUsage(start);
  return [(user + system) / 1_000, value];
}
