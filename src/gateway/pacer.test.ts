import { expect, test } from "vitest";
import { createPacerPool } from "./pacer.ts";

/** A clock and an event loop that the test turns by hand. */
function handTurned() {
  let time = 0;
  let queued: (() => void)[] = [];
  return {
    pass: (milliseconds: number) => {
      time += milliseconds;
    },
    turn: async () => {
      const due = queued;
      queued = [];
      for (const run of due) run();
      // what was resumed runs in microtasks
      for (let step = 0; step < 5; step++) await Promise.resolve();
    },
    options: { sliceMs: 5, now: () => time, afterOthers: (run: () => void) => void queued.push(run) },
  };
}

test("work goes on while its slice lasts, and pauses when it is over", async () => {
  const loop = handTurned();
  const pacer = createPacerPool(loop.options).pacer();
  loop.pass(4);
  expect(pacer.pause()).toBe(undefined);
  loop.pass(1);
  const paused = pacer.pause();
  expect(paused).toBeInstanceOf(Promise);
  loop.pass(100);
  await loop.turn();
  await paused;
  expect(pacer.pause()).toBe(undefined);
});

test("of many that pause, one goes on in each turn of the loop, in the order in which they paused", async () => {
  const loop = handTurned();
  const pool = createPacerPool(loop.options);
  const pacers = [1, 2, 3].map(() => pool.pacer());
  loop.pass(5);
  const resumed: number[] = [];
  for (const [index, pacer] of pacers.entries()) void pacer.pause()?.then(() => resumed.push(index));
  await loop.turn();
  expect(resumed).toEqual([0]);
  await loop.turn();
  expect(resumed).toEqual([0, 1]);
  await loop.turn();
  expect(resumed).toEqual([0, 1, 2]);
});

test("with the real event loop, a timer of others fires between the slices of a long work", async () => {
  const pacer = createPacerPool({ sliceMs: 0 }).pacer();
  let isOver = false;
  let slices = 0;
  const others = new Promise<void>((resolve) => setTimeout(resolve, 1)).then(() => {
    isOver = true;
  });
  while (!isOver) {
    slices += 1;
    await pacer.pause();
  }
  await others;
  expect(slices).toBeGreaterThan(1);
});
