/** The files in which the story's fault lives, as they are before the first edit. */
export const TIDE_FILES: Readonly<Record<string, string>> = {
  "src/tides/interpolate.ts": `/** One high or low water, as the tide feed gives it. */
export interface Extreme {
  readonly atMs: number;
  readonly cm: number;
  readonly kind: "high" | "low";
}

/** Height of the water at an instant: a half cosine between the extremes on either side of it. */
export function heightAt(extremes: readonly Extreme[], atMs: number): number {
  const [from, to] = segmentAround(extremes, atMs);
  const phase = (atMs - from.atMs) / (to.atMs - from.atMs);
  return from.cm + ((to.cm - from.cm) * (1 - Math.cos(Math.PI * phase))) / 2;
}

/** Binary search for the two extremes around an instant. */
function segmentAround(extremes: readonly Extreme[], atMs: number): readonly [Extreme, Extreme] {
  let low = 0;
  let high = extremes.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (extremes[middle].atMs === atMs) return [extremes[middle], extremes[middle + 1]];
    if (extremes[middle].atMs < atMs) low = middle;
    else high = middle;
  }
  return [extremes[low], extremes[high]];
}
`,
  "src/tides/windows.ts": `import { type Extreme, heightAt } from "./interpolate.ts";
import { NoTideWindow } from "./no-tide-window.ts";

export interface TideWindow {
  readonly opensMs: number;
  readonly closesMs: number;
  readonly highestCm: number;
}

export interface Need {
  readonly sillCm: number;
  readonly draughtCm: number;
  readonly clearanceCm: number;
}

const STEP_MS = 60_000;

/** The spans of time in which the water over the sill is deep enough, oldest first. */
export function windowsFor(extremes: readonly Extreme[], need: Need): readonly TideWindow[] {
  const neededCm = need.sillCm + need.draughtCm + need.clearanceCm;
  const windows: TideWindow[] = [];
  for (const extreme of extremes) {
    if (extreme.kind !== "high") continue;
    const highestCm = heightAt(extremes, extreme.atMs);
    if (!(highestCm >= neededCm)) continue;
    windows.push({ ...around(extremes, extreme.atMs, neededCm), highestCm });
  }
  return windows;
}

/** Refuses unless both ends of the stay lie in a window. */
export function requireWindow(windows: readonly TideWindow[], stay: { arrivesMs: number; leavesMs: number }, berth: string): void {
  const open = (atMs: number) => windows.some((window) => window.opensMs <= atMs && atMs <= window.closesMs);
  if (!open(stay.arrivesMs) || !open(stay.leavesMs)) throw new NoTideWindow(berth, stay);
}

function around(extremes: readonly Extreme[], highMs: number, neededCm: number): { opensMs: number; closesMs: number } {
  let opensMs = highMs;
  let closesMs = highMs;
  while (heightAt(extremes, opensMs - STEP_MS) >= neededCm) opensMs -= STEP_MS;
  while (heightAt(extremes, closesMs + STEP_MS) >= neededCm) closesMs += STEP_MS;
  return { opensMs, closesMs };
}
`,
  "src/tides/feed.ts": `import type { Extreme } from "./interpolate.ts";

interface FeedPage {
  readonly station: string;
  readonly from: string;
  readonly until: string;
  readonly extremes: readonly { readonly at: string; readonly cm: number; readonly kind: "high" | "low" }[];
}

/** Reads as many pages of the tide feed as the span needs; a page holds seven days. */
export async function fetchExtremes(get: (url: string) => Promise<FeedPage>, span: { station: string; fromMs: number; untilMs: number }) {
  const pages: FeedPage[] = [];
  for (let fromMs = span.fromMs; fromMs < span.untilMs; fromMs += 7 * 86_400_000) {
    pages.push(await get("/stations/" + span.station + "/extremes?from=" + new Date(fromMs).toISOString()));
  }
  return joinPages(pages);
}

/** One list out of all pages, in order of time. */
export function joinPages(pages: readonly FeedPage[]): readonly Extreme[] {
  return pages.flatMap((page) => page.extremes.map(({ at, cm, kind }) => ({ atMs: Date.parse(at), cm, kind })));
}
`,
  "src/tides/window-cache.ts": `import type { Need, TideWindow } from "./windows.ts";

/** Windows of the last hundred questions; a new feed page empties it. */
export function windowCache(capacity = 100) {
  const entries = new Map<string, readonly TideWindow[]>();
  const keyOf = (station: string, day: string, need: Need) => [station, day, need.sillCm, need.draughtCm, need.clearanceCm].join("/");
  return {
    through(station: string, day: string, need: Need, compute: () => readonly TideWindow[]): readonly TideWindow[] {
      const key = keyOf(station, day, need);
      const known = entries.get(key);
      if (known !== undefined) return known;
      const windows = compute();
      if (entries.size >= capacity) entries.delete(entries.keys().next().value ?? "");
      entries.set(key, windows);
      return windows;
    },
    clear: () => entries.clear(),
  };
}
`,
  "src/harbour/clock.ts": `/** The only place that knows what time it is. */
export interface Clock {
  nowMs(): number;
}

const HARBOUR_ZONE = "Etc/GMT-1";
const hourFormat = new Intl.DateTimeFormat("en-GB", { timeZone: HARBOUR_ZONE, hour: "numeric", hourCycle: "h23" });

/** The hour on the harbour office's wall, whatever zone the host runs in. */
export function harbourHour(atMs: number): number {
  return Number(hourFormat.format(atMs));
}
`,
  "test/tides/windows.test.ts": `import { expect, test } from "vitest";
import { joinPages } from "../../src/tides/feed.ts";
import { requireWindow, windowsFor } from "../../src/tides/windows.ts";
import { pagesOf } from "./pages.ts";

const need = { sillCm: 190, draughtCm: 180, clearanceCm: 45 };

test.each([1, 2, 3, 4, 5])("finds every high water of week %i that clears the sill", (week) => {
  const extremes = joinPages(pagesOf({ station: "saltmarrow", weeks: week + 1 }));
  const high = extremes.filter((extreme) => extreme.kind === "high" && extreme.cm >= 415);
  expect(windowsFor(extremes, need).map((window) => window.highestCm)).toEqual(high.map((extreme) => extreme.cm));
});

test("lets a boat in and out on the same tide", () => {
  const windows = windowsFor(joinPages(pagesOf({ station: "tarnhaven", weeks: 1 })), need);
  const [first] = windows;
  expect(() => requireWindow(windows, { arrivesMs: first.opensMs, leavesMs: first.closesMs }, "B-17")).not.toThrow();
});
`,
};
