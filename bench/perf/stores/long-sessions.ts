/** One session that grows long, and many that are used at once: appending, preparing, reopening. */
import {
  createBareEngine,
  type Engine,
  type Message,
  type ModelHandler,
  modelCondenser,
  type Session,
  type Store,
} from "palimpsest";
import type { StoreKind, StorePlace } from "./store-kinds.ts";
import { milliseconds, quantile, ratio, row, sum, timed } from "./times.ts";

/** About 300 messages: such a session is folded every two hundred or so. */
const CONTEXT_WINDOW = 100_000;
/** As often in a long session as in a short one: what filling costs is not what is measured. */
const FILL_FOLDS = 20;
const FILL_AT_LEAST = 20;
/** Ours and bare inserts take turns: whatever else the machine does slows both. */
const ROUND = 50;
const IDLE_PREPARES = 500;

export interface Measured {
  readonly appendMs: readonly number[];
  /** Processor time of this process in one append: other programs do not change it. */
  readonly appendCpuMs: number;
  readonly rawMs: readonly number[];
  /** After each append, where nothing had to be folded. */
  readonly prepareMs: readonly number[];
  /** Those that folded. */
  readonly foldMs: readonly number[];
  /** With nothing new. */
  readonly idleMs: readonly number[];
  readonly reopenMs: number;
}

export interface Load {
  /** What the sessions hold before anything is measured: messages in each. */
  readonly filled: readonly Message[];
  readonly sessions: number;
  /** What is appended one by one, session after session. */
  readonly appended: readonly Message[];
}

/** Condenses in no time, so that what folds cost here is what keeping them costs. */
export function newEngine(store: Store | undefined): Engine {
  const condenser = modelCondenser(instantModel);
  const choice = { model: "bench", contextWindow: CONTEXT_WINDOW };
  return createBareEngine({ ...choice, condenser, ...(store === undefined ? {} : { store }) });
}

const SUMMARY = Array.from({ length: 100 }, (_, index) => `Note ${index} says what was done.`).join(" ");
const instantModel: ModelHandler = {
  getModel: () => ({ id: "bench", info: { contextWindow: CONTEXT_WINDOW, maxTokens: 8_000 } }),
  createMessage: async function* () {
    yield { type: "text", text: SUMMARY };
  },
};

/** Appends many at once, and folds in between. */
export async function fill(session: Session, messages: readonly Message[], folds = FILL_FOLDS): Promise<void> {
  const atOnce = Math.max(FILL_AT_LEAST, Math.ceil(messages.length / folds));
  for (let start = 0; start < messages.length; start += atOnce) {
    await session.append(...messages.slice(start, start + atOnce));
    await session.prepare();
  }
}

export async function measure(kind: StoreKind, load: Load): Promise<Measured> {
  const place = await kind.create();
  const store = place.open();
  const engine = newEngine(store);
  const sessions: Session[] = [];
  for (let number = 0; number < load.sessions; number++) {
    const session = await engine.session(`session ${number}`);
    await fill(session, load.filled);
    sessions.push(session);
  }
  const times = await appendAndPrepare(sessions, load.appended, place);
  const idleMs: number[] = [];
  for (let turn = 0; turn < IDLE_PREPARES; turn++) {
    idleMs.push((await timed(async () => sessions[turn % sessions.length]?.prepare()))[0]);
  }
  if (kind.name !== "memory") await store?.close();
  const reopenMs = store === undefined ? Number.NaN : await reopen(place);
  await place.remove();
  return { ...times, idleMs, reopenMs };
}

async function appendAndPrepare(sessions: readonly Session[], appended: readonly Message[], place: StorePlace) {
  const [appendMs, rawMs, prepareMs, foldMs]: [number[], number[], number[], number[]] = [[], [], [], []];
  const bodies: string[] = [];
  let appendCpuMs = 0;
  for (const [turn, message] of appended.entries()) {
    const session = sessions[turn % sessions.length];
    if (session === undefined) continue;
    const cpu = process.cpuUsage();
    appendMs.push((await timed(() => session.append(message)))[0]);
    const { user, system } = process.cpuUsage(cpu);
    appendCpuMs += (user + system) / 1_000 / appended.length;
    const [elapsed, { report }] = await timed(() => session.prepare());
    (report.foldIds.length > 0 ? foldMs : prepareMs).push(elapsed);
    bodies.push(JSON.stringify({ type: "message", message }));
    if (bodies.length < ROUND || place.rawInsert === undefined) continue;
    for (const body of bodies.splice(0)) rawMs.push((await timed(async () => place.rawInsert?.(body)))[0]);
  }
  return { appendMs, appendCpuMs, rawMs, prepareMs, foldMs };
}

/** From a closed store to a view that can be sent. */
async function reopen(place: StorePlace): Promise<number> {
  const store = place.open();
  const [elapsed] = await timed(async () => (await newEngine(store).session("session 0")).prepare());
  await store?.close();
  return elapsed;
}

export function headings(): readonly string[] {
  const append = ["appends/s", "of bare", "append CPU", "p50", "p99"];
  return [...append, "prepare p50", "p99", "idle p50", "p99", "fold p50", "max", "reopen"];
}

export function cells(measured: Measured): readonly string[] {
  const { appendMs, appendCpuMs, rawMs, prepareMs, foldMs, idleMs, reopenMs } = measured;
  return [
    (1_000 / mean(appendMs)).toFixed(0),
    rawMs.length === 0 ? "–" : `${((100 * mean(rawMs)) / mean(appendMs)).toFixed(0)} %`,
    milliseconds(appendCpuMs),
    ...[0.5, 0.99].map((share) => milliseconds(quantile(appendMs, share))),
    ...[0.5, 0.99].map((share) => milliseconds(quantile(prepareMs, share))),
    ...[0.5, 0.99].map((share) => milliseconds(quantile(idleMs, share))),
    ...[0.5, 1].map((share) => milliseconds(quantile(foldMs, share))),
    milliseconds(reopenMs),
  ];
}

/** How much longer everything takes in the larger session; 1 is flat. */
export function growthRow(small: Measured, large: Measured): string {
  const grown = (times: (measured: Measured) => readonly number[], share: number) =>
    ratio(quantile(times(large), share) / quantile(times(small), share));
  return row(
    "  growth",
    ratio(mean(large.appendMs) / mean(small.appendMs)),
    "",
    ratio(large.appendCpuMs / small.appendCpuMs),
    ...[0.5, 0.99].map((share) => grown(({ appendMs }) => appendMs, share)),
    ...[0.5, 0.99].map((share) => grown(({ prepareMs }) => prepareMs, share)),
    ...[0.5, 0.99].map((share) => grown(({ idleMs }) => idleMs, share)),
    ...[0.5, 1].map((share) => grown(({ foldMs }) => foldMs, share)),
    ratio(large.reopenMs / small.reopenMs),
  );
}

function mean(times: readonly number[]): number {
  return sum(times) / times.length;
}
