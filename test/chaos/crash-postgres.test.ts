import { setTimeout as delay } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { describeOwnPostgres } from "../support/own-postgres.ts";
import { beginSessions } from "./begin-sessions.ts";
import { CHAOS_SEED, sized, tellFigures } from "./chaos-size.ts";
import { findBreaches } from "./find-breaches.ts";
import { isNothingToUndo } from "./kill-writers.ts";
import { between, seededRandom } from "./random.ts";
import { readSessions } from "./read-session.ts";
import { startWriter } from "./start-writer.ts";
import type { WriterLine } from "./writer-lines.ts";

await describeOwnPostgres("PostgreSQL, when the server crashes", (server) => {
  test("what clients were told is there, and they go on when it is back", async () => {
    const place = { type: "postgres", connectionString: server.connectionString, schema: "crashes" } as const;
    const random = seededRandom(CHAOS_SEED, "crashes");
    const weights = { append: 20, prepare: 1, condense: 1, update: 4, rewind: 2, undo: 1, look: 1 };
    const names = ["anna", "ben"];
    await beginSessions(place, ["shared"]);
    const writers = names.map((name) =>
      startWriter({
        name,
        seed: CHAOS_SEED,
        place,
        sessions: [name, "shared"].map((id) => ({ id, weights })),
        isAlone: false,
      }),
    );
    onTestFinished(() => writers.forEach((writer) => void writer.kill()));
    await Promise.all(writers.map(({ ready }) => ready));
    for (const writer of writers) writer.begin();

    const crashes = sized({ full: 12, short: 1 });
    for (let crash = 0; crash < crashes; crash++) {
      await untilAppended(writers.map(({ lines }) => lines));
      await delay(between(random, 0, 600));
      await server.crash();
      await server.start();
    }
    await untilAppended(writers.map(({ lines }) => lines));
    for (const writer of writers) writer.stop();
    await Promise.all(writers.map(({ ended }) => ended));

    const told = new Map(names.map((name, index) => [name, writers[index]?.lines ?? []]));
    const lines = [...told.values()].flat();
    const sessions = await readSessions(place, [...names, "shared"]);
    for (const session of sessions) expect(findBreaches(session, told)).toEqual([]);
    expect(JSON.stringify(await readSessions(place, [...names, "shared"])) === JSON.stringify(sessions)).toBe(true);
    expect(lines.filter((line) => line.type === "refused" && !isExpected(line))).toEqual([]);
    const failures = lines.filter((line) => line.type === "refused" && line.code === "store-failed").length;
    expect(failures).toBeGreaterThan(0);
    tellFigures("server crashes, PostgreSQL", {
      crashes,
      acknowledgedAppends: lines.filter(({ type }) => type === "appended").length,
      acknowledgedUpdates: lines.filter(({ type }) => type === "updated").length,
      acknowledgedRewinds: lines.filter(({ type }) => type === "rewound").length,
      failedCalls: failures,
    });
  });
});

/** Waits until each of them has been told that something it appends from now on is there. */
async function untilAppended(writers: readonly (readonly WriterLine[])[]): Promise<void> {
  const from = writers.map((lines) => lines.length);
  const isHeard = () =>
    writers.every((lines, index) => lines.slice(from[index]).some((line) => line.type === "appended"));
  while (!isHeard()) await delay(10);
}

/** A crash fails calls; two who share a session may meet. */
function isExpected(line: WriterLine): boolean {
  if (line.type !== "refused") return false;
  const isGone = line.operation === "rewind" && line.code === "not-found" && line.session === "shared";
  return line.code === "store-failed" || line.code === "conflict" || isGone || isNothingToUndo(line);
}
