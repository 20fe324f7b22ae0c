import { setTimeout as delay } from "node:timers/promises";
import { expect, onTestFinished } from "vitest";
import { CHAOS_SEED } from "./chaos-size.ts";
import { findBreaches, unfinishedOperation } from "./find-breaches.ts";
import { between, type Random, seededRandom } from "./random.ts";
import { type FoundSession, readSessions } from "./read-session.ts";
import { startWriter, type Writer } from "./start-writer.ts";
import { isStillView } from "./still-view.ts";
import { placeOf } from "./turns.ts";
import type { SessionTask, StorePlace, WriterLine } from "./writer-lines.ts";

/** The life of one writer, up to the instant at which it is killed. */
export interface Life {
  readonly place: StorePlace;
  readonly session: string;
  /** Killed at most so long after it began, or, where `opensFirst`, after it had opened its session. */
  readonly longestMs: number;
  readonly opensFirst: boolean;
}

export interface KillFigures {
  kills: number;
  acknowledgedAppends: number;
  acknowledgedOthers: number;
  /** Killed before the session was open. */
  whileOpening: number;
  whileAppending: number;
  whilePreparing: number;
  /** Appends that were there though nobody had been told. */
  unacknowledgedAppends: number;
  /** Folds, restorings and updates that were stored. */
  rewrites: number;
  stillViews: number;
}

export interface KillOptions {
  readonly title: string;
  readonly kills: number;
  lifeOf(kill: number): Life;
  /** Waits until nothing of a killed writer is at work any more. */
  settle?(): Promise<void>;
}

const WEIGHTS: SessionTask["weights"] = {
  append: 20,
  prepare: 1,
  condense: 1,
  update: 4,
  rewind: 2,
  undo: 1,
  checkpoint: 1,
  look: 1,
};

/** Kills one writer after the other, and after each looks whether all that it was told is still so. */
export async function killWriters({ title, kills, lifeOf, settle }: KillOptions): Promise<KillFigures> {
  const random = seededRandom(CHAOS_SEED, title);
  const known = new Map<string, Known>();
  const figures = noFigures();
  const start = (kill: number) => startWriter(writerTask(kill, lifeOf(kill)));
  let next = start(0);
  onTestFinished(() => next.kill());
  for (let kill = 0; kill < kills; kill++) {
    const life = lifeOf(kill);
    const { place, session } = life;
    const writer = next;
    await writer.ready;
    await endSuddenly(writer, life, random);
    // The next one loads while this one's session is looked at.
    if (kill + 1 < kills) next = start(kill + 1);
    await settle?.();
    const key = `${session} ${JSON.stringify(place)}`;
    const before = known.get(key);
    const lives = new Map(before?.lives).set(nameOf(kill), writer.lines);
    const found = await check({ life, lives, kill });
    known.set(key, { lives, records: found.records.length });
    count(figures, { found, lines: writer.lines, recordsBefore: before?.records ?? 0, writer: nameOf(kill) });
  }
  return figures;
}

/** What is known of a session: what all of its writers told, and how many records it had. */
interface Known {
  readonly lives: ReadonlyMap<string, readonly WriterLine[]>;
  readonly records: number;
}

function writerTask(kill: number, { place, session }: Life) {
  const sessions = [{ id: session, weights: WEIGHTS }];
  return { name: nameOf(kill), seed: CHAOS_SEED, place, sessions, isAlone: true };
}

const nameOf = (kill: number) => `life-${kill}`;

async function endSuddenly(writer: Writer, { opensFirst, longestMs }: Life, random: Random): Promise<void> {
  writer.begin();
  // Every fourth hardly begins, so that opening is hit as well.
  const isCutShort = opensFirst && random() < 0.25;
  if (opensFirst && !isCutShort) await untilOpened(writer);
  await delay(between(random, 0, isCutShort ? 20 : longestMs));
  writer.kill();
  // Not because of something else.
  expect(await writer.ended).toEqual({ code: null, signal: "SIGKILL" });
}

async function untilOpened(writer: Writer): Promise<void> {
  let hasEnded = false;
  void writer.ended.then(() => {
    hasEnded = true;
  });
  while (!hasEnded && !writer.lines.some(({ type }) => type === "opened")) await delay(2);
}

interface Checked {
  readonly life: Life;
  readonly lives: ReadonlyMap<string, readonly WriterLine[]>;
  readonly kill: number;
}

async function check({ life, lives, kill }: Checked): Promise<FoundSession> {
  const [found] = await readSessions(life.place, [life.session]);
  const [again] = await readSessions(life.place, [life.session]);
  if (found === undefined) throw new Error("The session was not read.");
  const lines = lives.get(nameOf(kill)) ?? [];
  // toEqual of large logs is slow, and what counts is bytes.
  expect(JSON.stringify(again) === JSON.stringify(found), "opened twice, the session is the same").toBe(true);
  expect(findBreaches(found, lives), `after kill ${kill}`).toEqual([]);
  expect(lines.filter((line) => line.type === "refused" && !isNothingToUndo(line))).toEqual([]);
  expect(isStillView(found, lines), `the view given out before kill ${kill} is still there`).not.toBe(false);
  return found;
}

export function isNothingToUndo(line: WriterLine): boolean {
  return line.type === "refused" && line.operation === "undo" && line.code === "not-found";
}

interface Counted {
  readonly found: FoundSession;
  readonly lines: readonly WriterLine[];
  readonly recordsBefore: number;
  readonly writer: string;
}

function count(figures: KillFigures, { found, lines, recordsBefore, writer }: Counted): void {
  const appends = lines.filter(({ type }) => type === "appended").length;
  const places = found.records.map((record) => (record.type === "message" ? placeOf(record.message.id) : undefined));
  const stored = new Set(places.filter((place) => place?.writer === writer).map((place) => place?.turn)).size;
  const begun = unfinishedOperation(lines)?.operation;
  figures.kills += 1;
  figures.acknowledgedAppends += appends;
  figures.acknowledgedOthers += lines.filter(isOtherWrite).length;
  figures.unacknowledgedAppends += stored - appends;
  if (begun === "open" || lines.length < 2) figures.whileOpening += 1;
  if (begun === "append") figures.whileAppending += 1;
  if (begun === "prepare") figures.whilePreparing += 1;
  figures.rewrites += found.records.slice(recordsBefore).filter(({ type }) => type === "patch").length;
  if (isStillView(found, lines) === true) figures.stillViews += 1;
}

const OTHER_WRITES: ReadonlySet<string> = new Set(["condensed", "updated", "rewound", "checkpointed"]);
const isOtherWrite = ({ type }: WriterLine) => OTHER_WRITES.has(type);

function noFigures(): KillFigures {
  return {
    kills: 0,
    acknowledgedAppends: 0,
    acknowledgedOthers: 0,
    whileOpening: 0,
    whileAppending: 0,
    whilePreparing: 0,
    unacknowledgedAppends: 0,
    rewrites: 0,
    stillViews: 0,
  };
}
