/** Watches the event loop of the process that it runs in. */
import { monitorEventLoopDelay } from "node:perf_hooks";

/** The longest time for which nothing else was served, in milliseconds. */
export interface LongestBlock {
  /** By the clock: a busy machine makes it longer. */
  readonly wallMs: number;
  /** Of the main thread's own processor time: what other processes and other threads do is no part of it. */
  readonly cpuMs: number;
}

export interface LoopWatch {
  /** Since the last time that it was asked. */
  take(): LongestBlock;
}

const NANOSECONDS_PER_MILLISECOND = 1_000_000;
const MICROSECONDS_PER_MILLISECOND = 1_000;

export function watchLoop(): LoopWatch {
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  let longestCpuMs = 0;
  let last = threadCpuMs();
  const timer = setInterval(() => {
    const now = threadCpuMs();
    longestCpuMs = Math.max(longestCpuMs, now - last);
    last = now;
  }, 1);
  timer.unref();
  return {
    take: () => {
      const wallMs = delays.max / NANOSECONDS_PER_MILLISECOND;
      const block = { wallMs, cpuMs: longestCpuMs };
      delays.reset();
      longestCpuMs = 0;
      last = threadCpuMs();
      return block;
    },
  };
}

/** Of this thread; of the whole process where Node is too old to tell threads apart. */
function threadCpuMs(): number {
  const { user, system } = (process.threadCpuUsage ?? process.cpuUsage)();
  return (user + system) / MICROSECONDS_PER_MILLISECOND;
}
