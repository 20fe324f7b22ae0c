/**
 * Loaded before a program (`--import`): at SIGUSR2 it collects the garbage and writes what the process has used to the file that
 * PALIMPSEST_TEST_USAGE names.
 */
import { renameSync, writeFileSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { isMainThread } from "node:worker_threads";

const { PALIMPSEST_TEST_USAGE: path } = process.env;
// Threads load it too, and a signal is the process's.
if (isMainThread && path !== undefined) {
  setFlagsFromString("--expose-gc");
  const collectGarbage: () => void = runInNewContext("gc");
  process.on("SIGUSR2", () => {
    // Before the garbage is collected: that is the measuring's work, not the program's.
    const { user, system } = process.cpuUsage();
    collectGarbage();
    const { heapUsed, rss } = process.memoryUsage();
    const collecting = process.cpuUsage({ user, system });
    const measuredMs = (collecting.user + collecting.system) / 1_000;
    writeFileSync(`${path}.new`, JSON.stringify({ cpuMs: (user + system) / 1_000, measuredMs, heapUsed, rss }));
    renameSync(`${path}.new`, path);
  });
}
