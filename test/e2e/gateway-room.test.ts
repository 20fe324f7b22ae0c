/**
 * What system prompt and tools leave of a window is the conversation's, however large they are. `npm test` runs a selection in which each
 * wire occurs, `npm run test:chaos` twice as many; with PALIMPSEST_ROOM=all every window, overhead and wire is run, which takes some minutes. The table at the end is
 * also appended to the file that PALIMPSEST_FIGURES names.
 */
import { appendFileSync } from "node:fs";
import { afterAll, expect, test } from "vitest";
import { isFull } from "../chaos/chaos-size.ts";
import { type RoomCase, type RoomFigures, type Shares, workInRoom } from "../support/gateway-room.ts";
import { invalidRequests, tooLongRequests } from "../support/gateway-script.ts";
import { SDK_KINDS } from "../support/gateway-sessions.ts";
import type { GatewayWorld } from "../support/gateway-world.ts";

const { PALIMPSEST_ROOM, PALIMPSEST_FIGURES } = process.env;

/** The least that a conversation gets of what is free, right after a fold. */
const LEAST_AFTER_FOLD = 0.2;
/** In large rooms a fold that clears results leaves the ten newest, however many there would be room for. */
const ENOUGH_AFTER_FOLD_TOKENS = 10_000;
/** In the last request before a fold: on average, and where the next turn is a large one. */
const LEAST_MEAN_BEFORE_FOLD = 0.45;
const LEAST_BEFORE_FOLD = 0.33;
const MOST_FOLDS_PER_REQUEST = 1 / 3;

const LEAST_FREE_TOKENS = 3_000;
const ROOMS = [24_000, 28_000, 32_000, 40_000, 60_000, 128_000].flatMap((window) =>
  [18_000, 30_000]
    .filter((overheadTokens) => window - overheadTokens >= LEAST_FREE_TOKENS)
    .map((overheadTokens) => ({ window, overheadTokens })),
);
const isAll = PALIMPSEST_ROOM === "all";
const SELECTED = isFull ? ["24000 18000", "32000 18000", "40000 30000", "60000 30000"] : ["24000 18000", "40000 30000"];

/** Of the selection, each room has two wires: the other two have the next room. */
function casesOf(rooms: readonly Pick<RoomCase, "window" | "overheadTokens">[], isTold: boolean): readonly RoomCase[] {
  const chosen = isAll ? rooms : rooms.filter((room) => SELECTED.includes(`${room.window} ${room.overheadTokens}`));
  return chosen.flatMap((room, index) =>
    SDK_KINDS.filter((_, kind) => isAll || kind % 2 === index % 2).map((kind) => ({ ...room, kind, isTold })),
  );
}

const table: RoomFigures[] = [];

test.each(casesOf(ROOMS, true))(
  "$kind.api, $overheadTokens of overhead in $window: the conversation gets its share of the rest, and keeps what binds",
  async (room) => {
    const { world, figures } = await workInRoom(room);
    table.push(figures);
    expectUndisturbed(world);
    expect(tooLongRequests(world.server)).toEqual([]);
    expectAllShown(figures);
    expectFairShare(figures);
  },
);

test.each(casesOf(ROOMS.slice(0, 1), false))(
  "$kind.api, $overheadTokens of overhead in $window, of which nobody told the gateway: the agent sees no refusal",
  async (room) => {
    const { world, figures } = await workInRoom(room);
    table.push(figures);
    expectUndisturbed(world);
    // The one that taught it.
    expect(tooLongRequests(world.server)).toHaveLength(1);
    expectAllShown(figures);
    expectFairShare(figures);
  },
);

function expectUndisturbed({ sent, server, incidents }: GatewayWorld): void {
  expect(sent.filter(({ status }) => status !== 200)).toEqual([]);
  expect(invalidRequests(server)).toEqual([]);
  expect(incidents).toEqual([]);
}

function expectAllShown({ shows, foldedRequests: all }: RoomFigures): void {
  expect(shows).toEqual({ task: all, rules: all, guide: all, results: all });
}

function expectFairShare({ freeTokens, afterFold, beforeFold, folds, requests }: RoomFigures): void {
  expect(folds).toBeGreaterThan(1);
  expect(folds / requests).toBeLessThanOrEqual(MOST_FOLDS_PER_REQUEST);
  const enough = Math.min(LEAST_AFTER_FOLD, ENOUGH_AFTER_FOLD_TOKENS / freeTokens);
  expect(afterFold.least).toBeGreaterThanOrEqual(enough);
  expect(beforeFold.mean).toBeGreaterThanOrEqual(LEAST_MEAN_BEFORE_FOLD);
  expect(beforeFold.least).toBeGreaterThanOrEqual(LEAST_BEFORE_FOLD);
}

afterAll(() => {
  const text = tableText();
  console.log(text);
  if (PALIMPSEST_FIGURES) appendFileSync(PALIMPSEST_FIGURES, `${text}\n`);
});

const HEADINGS = [
  "window",
  "overhead",
  "wire",
  "told",
  "free",
  "after fold %",
  "peak %",
  "folds",
  "task",
  "rules",
  "guide",
  "result",
];

function tableText(): string {
  const rows = table.map(({ room, freeTokens, afterFold, beforeFold, folds, requests, foldedRequests, shows }) => [
    room.window,
    room.overheadTokens,
    room.kind.api,
    room.isTold ? "yes" : "no",
    freeTokens,
    percent(afterFold),
    percent(beforeFold),
    `${folds}/${requests}`,
    ...[shows.task, shows.rules, shows.guide, shows.results].map((count) => `${count}/${foldedRequests}`),
  ]);
  const lines = [HEADINGS, ...rows].map((row) => row.map(String));
  const widths = HEADINGS.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const title = "Room beside system prompt and tools: shares of what is free, the least and the mean of all folds";
  return [title, ...lines.map((line) => line.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join("  "))].join("\n");
}

function percent({ least, mean }: Shares): string {
  return `${Math.round(100 * least)} ${Math.round(100 * mean)}`;
}
