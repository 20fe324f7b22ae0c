import { setTimeout as delay } from "node:timers/promises";
import { expect, onTestFinished } from "vitest";
import { beginSessions } from "./begin-sessions.ts";
import { CHAOS_SEED, sized } from "./chaos-size.ts";
import { findBreaches } from "./find-breaches.ts";
import { isNothingToUndo } from "./kill-writers.ts";
import { readSessions } from "./read-session.ts";
import { startWriter, type Writer } from "./start-writer.ts";
import { COUNTER_ID, countOf } from "./turns.ts";
import type { SessionTask, StorePlace, WriterLine } from "./writer-lines.ts";

const WRITERS = 9;
const DURATION_MS = sized({ full: 25_000, short: 2_000 });
/** Nothing that a writer does may take longer: those who wait for each other for good would. */
const WATCHDOG_MS = 600_000;

/** Appended to, folded and counted up by all, and never rewound: the counter says in the end how often it was counted. */
const COUNTED: SessionTask = { id: "counted", weights: { append: 6, prepare: 2, update: 4, look: 1 } };
/** All of it by all of them. */
const MIXED: SessionTask = {
  id: "mixed",
  weights: { append: 12, prepare: 3, condense: 1, update: 3, rewind: 2, undo: 1, checkpoint: 1, look: 2 },
};

export interface CrowdFigures {
  readonly writers: number;
  readonly seconds: number;
  readonly operations: number;
  readonly operationsPerSecond: number;
  readonly acknowledgedAppends: number;
  readonly acknowledgedUpdates: number;
  readonly acknowledgedRewinds: number;
  readonly views: number;
  readonly records: number;
  /** Calls that were told "conflict" after their last try; they changed nothing. */
  readonly conflicts: string;
  /** Condensations that were given up, as the log had been rewritten meanwhile. */
  readonly discardedCondensations: number;
  readonly longestMs: number;
}

/** Lets many processes work on shared sessions and on their own at once, then looks whether anything was lost. */
export async function letCrowdWrite(place: StorePlace): Promise<CrowdFigures> {
  const names = Array.from({ length: WRITERS }, (_, index) => `writer-${index}`);
  const ids = [COUNTED.id, MIXED.id, ...names];
  await beginSessions(place, ids);
  const writers = names.map((name) => {
    const sessions = [COUNTED, MIXED, { id: name, weights: MIXED.weights }];
    return startWriter({ name, seed: CHAOS_SEED, place, sessions, isAlone: false, durationMs: DURATION_MS });
  });
  onTestFinished(() => writers.forEach((writer) => void writer.kill()));
  await Promise.all(writers.map(({ ready }) => ready));
  for (const writer of writers) writer.begin();
  const stuck = delay(DURATION_MS + WATCHDOG_MS, "stuck", { ref: false });
  const end = await Promise.race([Promise.all(writers.map(({ ended }) => ended)), stuck]);
  if (end === "stuck") throw new Error(`Writers wait without end: ${lastLines(writers)}`);
  expect(end).toEqual(writers.map(() => ({ code: 0, signal: null })));

  const told = new Map(names.map((name, index) => [name, writers[index]?.lines ?? []]));
  const lines = [...told.values()].flat();
  expect(lines.filter((line) => line.type === "refused" && !isExpected(line))).toEqual([]);
  const found = await readSessions(place, ids);
  expect(found.flatMap((session) => findBreaches(session, told))).toEqual([]);
  const counter = found[0]?.log.find(({ id }) => id === COUNTER_ID);
  const counts = lines.flatMap((line) => (line.type === "updated" && line.session === COUNTED.id ? line.count : []));
  expect(countOf(counter?.content)).toBe(counts.length);
  expect(new Set(counts).size, "each update is told what it made, not what another made of it").toBe(counts.length);
  return figuresOf(
    lines,
    found.reduce((sum, { version }) => sum + version, 0),
  );
}

/** Whoever rewrites what others rewrite all the time may be told so; others may have undone or set aside what one looked for. */
function isExpected(line: WriterLine): boolean {
  if (line.type !== "refused") return false;
  const isSetAside = line.session === MIXED.id && line.operation === "rewind" && line.code === "not-found";
  return line.code === "conflict" || isSetAside || isNothingToUndo(line);
}

function lastLines(writers: readonly Writer[]): string {
  return JSON.stringify(writers.map(({ lines }) => lines.at(-1)));
}

function figuresOf(lines: readonly WriterLine[], records: number): CrowdFigures {
  const countType = (type: WriterLine["type"]) => lines.filter((line) => line.type === type).length;
  const operations = countType("began");
  const conflicts = lines.flatMap((line) =>
    line.type === "refused" && line.code === "conflict" ? line.operation : [],
  );
  const byOperation = [...new Set(conflicts)].map(
    (name) => `${conflicts.filter((each) => each === name).length} ${name}`,
  );
  return {
    writers: WRITERS,
    seconds: DURATION_MS / 1_000,
    operations,
    operationsPerSecond: Math.round(operations / (DURATION_MS / 1_000)),
    acknowledgedAppends: countType("appended"),
    acknowledgedUpdates: countType("updated"),
    acknowledgedRewinds: countType("rewound"),
    views: countType("prepared"),
    records,
    conflicts: byOperation.length === 0 ? "0" : byOperation.join(" + "),
    discardedCondensations: lines.filter((line) => line.type === "condensed" && /rewritten/.test(line.error ?? ""))
      .length,
    longestMs: Math.max(...lines.map((line) => (line.type === "stopped" ? line.longestMs : 0))),
  };
}
