/** The dashboard in a real browser: bytes, first paint, frame times of Strata on a huge session, memory after an hour of events. */
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { startGateway } from "palimpsest/gateway";
import { memoryStore } from "palimpsest/stores/memory";
import { openBrowser } from "palimpsest-dashboard/open-browser";
import type { Browser, Page } from "playwright-core";
import { type SyntheticServer, startSyntheticServer } from "./synthetic-server.ts";

const FOLDER = resolve(import.meta.dirname, "../../../dist/dashboard");
const SIZE = { messages: 100_000, requests: 5_000 };
const FRAMES = 300;
/** An event each second, for an hour. */
const EVENTS = 3_600;
const EVENTS_AT_ONCE = 20;

export async function benchDashboard(): Promise<void> {
  console.log("\ndashboard");
  console.log(`  bytes, compressed    ${(bytesServed() / 1024).toFixed(1)} KB in all`);
  const opened = await openBrowser();
  if (opened.type === "none") {
    console.log(`  NO BROWSER: the other figures are missing (${opened.why})`);
    return;
  }
  const { browser } = opened;
  try {
    await benchFirstPaint(browser);
    const server = await startSyntheticServer(FOLDER, SIZE);
    await benchFrames(browser, server);
    await benchLatency(browser, server);
    await benchMemory(browser, server);
    server.close();
  } finally {
    await browser.close();
  }
}

function bytesServed(): number {
  const served = readdirSync(FOLDER).filter((name) => !name.startsWith("report.") && !name.endsWith(".br"));
  return served.reduce((sum, name) => sum + gzipSync(readFileSync(join(FOLDER, name))).length, 0);
}

/** What the gateway answers where it has no such file: one line of text with the same headers, which a browser paints as soon as it can. */
const EMPTY_PAGE = "nothing.css";
const PAINTS = 15;

/** From the gateway itself, each time in a new tab without a cache; beside it a page with nothing in it, as the machine may be busy. */
async function benchFirstPaint(browser: Browser): Promise<void> {
  const gateway = await startGateway({ store: memoryStore(), port: 0 });
  const [pages, empty]: [number[], number[]] = [[], []];
  for (let attempt = 0; attempt < PAINTS; attempt++) {
    empty.push(await firstPaint(browser, `${gateway.url}/palimpsest/${EMPTY_PAGE}`, "body"));
    pages.push(await firstPaint(browser, `${gateway.url}/palimpsest/`, "h1"));
  }
  await gateway.close();
  const ratio = quantile(pages, 0.5) / quantile(empty, 0.5);
  console.log(
    `  first paint          ${milliseconds(pages, 0.5)} median, ${milliseconds(pages, 1)} at worst, of ${PAINTS}; ${ratio.toFixed(2)} × an empty page of the same gateway (${milliseconds(empty, 0.5)})`,
  );
}

async function firstPaint(browser: Browser, url: string, shown: string): Promise<number> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(url);
  await page.waitForSelector(shown);
  // By hand: what playwright waits with is forbidden by the page's policy.
  const paintedAt = () =>
    page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? null);
  let time = await paintedAt();
  for (; time === null; time = await paintedAt()) await page.waitForTimeout(10);
  await context.close();
  return time;
}

/** What a frame of a screen with 60 pictures a second may take. */
const FRAME_MS = 16;

interface Frames {
  /** What the callbacks of each frame took. */
  readonly times: readonly number[];
  /** What each tile took that arrived meanwhile: from the end of reading its JSON to the page that knows it. */
  readonly arrivals: readonly number[];
}

/** What the page computes in a frame: the callbacks that it asked for. */
async function benchFrames(browser: Browser, server: SyntheticServer): Promise<void> {
  const page = await openStrata(browser, server);
  for (const density of ["read", "overview"]) {
    await page.selectOption("select", density);
    const { times, arrivals } = await page.evaluate<Frames>(SCROLL_AROUND);
    const slow = times.filter((time) => time > FRAME_MS).length;
    console.log(
      `  frame, ${density.padEnd(13)} ${milliseconds(times, 0.5)} median, ${milliseconds(times, 0.99)} p99, ${milliseconds(times, 1)} at worst, ${slow} of ${times.length} over ${FRAME_MS} ms (${SIZE.messages} messages × ${SIZE.requests} requests)`,
    );
    console.log(
      `  tiles that arrived   ${arrivals.length}; the longest kept the page for ${milliseconds(arrivals, 1)}, ${milliseconds(arrivals, 0.5)} in the median`,
    );
  }
  await page.context().close();
}

async function openStrata(browser: Browser, server: SyntheticServer): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1_280, height: 900 } });
  const page = await context.newPage();
  await page.goto(server.url);
  await page.waitForSelector("#strata-cell:has-text('Message')");
  return page;
}

/** Runs in the page, whose names Node does not know. Scrolls both ways, a little and by jumps, and times what each frame computes. */
const SCROLL_AROUND = `(async () => {
  const grid = document.querySelector(".strata");
  const times = [];
  const arrivals = [];
  const json = Response.prototype.json;
  Response.prototype.json = async function () {
    const text = await this.text();
    const start = performance.now();
    const value = JSON.parse(text);
    // What waits for it runs before this: a task of its own comes after all of it.
    const channel = new MessageChannel();
    channel.port1.onmessage = () => arrivals.push(performance.now() - start);
    channel.port2.postMessage(0);
    return value;
  };
  const ask = window.requestAnimationFrame.bind(window);
  window.requestAnimationFrame = (callback) =>
    ask((at) => {
      const start = performance.now();
      callback(at);
      times.push(performance.now() - start);
    });
  for (let frame = 0; frame < ${FRAMES}; frame++) {
    const isJump = frame % 10 === 0;
    grid.scrollTop = isJump ? ((frame * 7919) % 1000) * (grid.scrollHeight / 1000) : grid.scrollTop + 90;
    grid.scrollLeft = isJump ? ((frame * 104729) % 1000) * (grid.scrollWidth / 1000) : grid.scrollLeft + 30;
    await new Promise((resolve) => ask(() => ask(resolve)));
  }
  window.requestAnimationFrame = ask;
  Response.prototype.json = json;
  return { times, arrivals };
})()`;

const EVENTS_TIMED = 20;

/** From an event of the gateway to the page that shows what it tells: a request more in the grid. */
async function benchLatency(browser: Browser, server: SyntheticServer): Promise<void> {
  const page = await openStrata(browser, server);
  await page.waitForSelector(".live.live");
  const times: number[] = [];
  for (let event = 0; event < EVENTS_TIMED; event++) {
    const columns = SIZE.requests + event + 2;
    const shown = page.waitForSelector(`.strata[aria-colcount="${columns}"]`, { state: "attached" });
    const start = performance.now();
    server.grow();
    await shown;
    times.push(performance.now() - start);
  }
  console.log(
    `  event to page        ${milliseconds(times, 0.5)} median, ${milliseconds(times, 1)} at worst, of ${EVENTS_TIMED}; at most 1,000 ms`,
  );
  await page.context().close();
}

async function benchMemory(browser: Browser, server: SyntheticServer): Promise<void> {
  const page = await openStrata(browser, server);
  await sendEvents(page, server, EVENTS / 10);
  const before = await heapBytes(page);
  await sendEvents(page, server, EVENTS);
  const after = await heapBytes(page);
  console.log(`  memory of the page   ${megabytes(before)} MB, after an hour of events ${megabytes(after)} MB`);
  await page.context().close();
}

async function sendEvents(page: Page, server: SyntheticServer, count: number): Promise<void> {
  for (let sent = 0; sent < count; sent += EVENTS_AT_ONCE) {
    for (let event = 0; event < EVENTS_AT_ONCE; event++) server.tell();
    // Longer than the page waits for more of a burst: each one makes it ask again.
    await page.waitForTimeout(170);
  }
}

async function heapBytes(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  return usedSize;
}

function quantile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

function milliseconds(times: readonly number[], share: number): string {
  return `${quantile(times, share).toFixed(1)} ms`;
}

function megabytes(bytes: number): string {
  return (bytes / 1_048_576).toFixed(1);
}
