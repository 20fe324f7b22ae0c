import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { asyncCpuTimeMs, cpuTimeMs } from "./cpu-time.ts";

test("counts work", () => {
  const work = () => {
    const end = process.threadCpuUsage().user + 50_000;
    while (process.threadCpuUsage().user < end);
  };
  expect(cpuTimeMs(work)).toBeGreaterThanOrEqual(49);
});

test("does not count waiting", async () => {
  expect(await asyncCpuTimeMs(() => sleep(400))).toBeLessThan(200);
});
