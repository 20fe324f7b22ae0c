/** A gateway comes to rest after many sessions: it does not work on by itself, and gives back what they took. */
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { invalidRequests } from "../support/gateway-script.ts";
import { startServer } from "../support/gateway-world.ts";
import { until } from "../support/loopback.ts";
import { type PalimpsestProcess, startPalimpsest, unhurried } from "../support/palimpsest-process.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { tellFigures } from "./chaos-size.ts";
import { letAgentsWork } from "./fleet-agents.ts";

const SESSIONS = 200;
/** As many as a gateway keeps open: the next ones take their place. */
const OPEN_SESSIONS = 64;
const TURNS = 12;
const WINDOW = 16_000;
/** Of the work for the requests, what may be done when they are answered: folds that are prepared, records that are written. */
const MOST_LATER_WORK = 0.5;
/** As many sessions are open before as after; caches with a bound of their own may have grown. */
const MOST_HEAP_GROWTH = 1.5;
/** Work in a second that is no work: timers, and what measures it. */
const AT_REST_MS = 50;

interface Usage {
  readonly cpuMs: number;
  readonly heapMegabytes: number;
  readonly residentMegabytes: number;
}

/** A real gateway on a file, which can be asked what it has used. */
async function startMeasured(upstream: string) {
  const folder = temporaryFolder();
  const path = join(folder, "usage.json");
  const preload = pathToFileURL(join(import.meta.dirname, "report-usage.ts")).href;
  const process: PalimpsestProcess = startPalimpsest(
    [
      ...["up", "--json", "--port", "0", "--upstream", upstream, "--store", join(folder, "store.db")],
      ...["--window", `${WINDOW}`, ...unhurried()],
    ],
    { PALIMPSEST_TOKEN: "", PALIMPSEST_TEST_USAGE: path, NODE_OPTIONS: `--import ${preload}` },
  );
  onTestFinished(async () => {
    process.kill("SIGKILL");
    await process.ended;
  });
  const { url }: { readonly url: string } = JSON.parse(await process.shows(/^\{.*\}\n/));
  let measuringMs = 0;
  const measure = async (): Promise<Usage> => {
    rmSync(path, { force: true });
    process.kill("SIGUSR2");
    await until(() => existsSync(path));
    const { cpuMs, measuredMs, heapUsed, rss } = JSON.parse(readFileSync(path, "utf8"));
    const usage = { cpuMs: cpuMs - measuringMs, heapMegabytes: heapUsed / 1e6, residentMegabytes: rss / 1e6 };
    measuringMs += measuredMs;
    return usage;
  };
  return { url, measure };
}

/** What it has used when a second goes by in which it does nothing. */
async function usageAtRest(measure: () => Promise<Usage>): Promise<Usage> {
  for (let before = await measure(); ; ) {
    await sleep(1_000);
    const after = await measure();
    if (after.cpuMs - before.cpuMs < AT_REST_MS) return after;
    before = after;
  }
}

test(`after ${SESSIONS} sessions a gateway comes to rest, and its memory comes back`, async () => {
  const server = await startServer({ contextWindow: WINDOW });
  const { url, measure } = await startMeasured(server.url);
  // All of its code is loaded, and its caches have begun, before anything is compared.
  await letAgentsWork({ url, agents: OPEN_SESSIONS, turns: TURNS, onTurn: () => {} });
  const before = await usageAtRest(measure);
  await letAgentsWork({ url, agents: SESSIONS, first: OPEN_SESSIONS, turns: TURNS, onTurn: () => {} });
  const loaded = await measure();
  const after = await usageAtRest(measure);

  const [loadCpuMs, laterCpuMs] = [loaded.cpuMs - before.cpuMs, after.cpuMs - loaded.cpuMs];
  tellFigures("after a load", {
    ...{ sessions: SESSIONS, requests: server.requests.length },
    ...{ loadCpuMs: Math.round(loadCpuMs), laterCpuMs: Math.round(laterCpuMs) },
    ...{ heapBefore: Math.round(before.heapMegabytes), heapAfter: Math.round(after.heapMegabytes) },
    ...{ residentBefore: Math.round(before.residentMegabytes), residentAfter: Math.round(after.residentMegabytes) },
  });
  expect(invalidRequests(server)).toEqual([]);
  expect(server.requests.filter(({ rawBody }) => /hidden in fold/.test(rawBody)).length).toBeGreaterThan(SESSIONS);
  expect(laterCpuMs).toBeLessThan(MOST_LATER_WORK * loadCpuMs);
  expect(after.heapMegabytes).toBeLessThan(MOST_HEAP_GROWTH * before.heapMegabytes);
});
