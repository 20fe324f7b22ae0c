/**
 * How much of a processor's time something takes on this thread, in milliseconds. A busy machine makes it wait, not work: unlike the
 * wall clock, this tells linear time from quadratic whatever else runs.
 */
export function cpuTimeMs(action: () => unknown): number {
  const start = process.threadCpuUsage();
  action();
  return sinceMs(start);
}

/** The same for something that waits; nothing else may run meanwhile. */
export async function asyncCpuTimeMs(action: () => Promise<unknown>): Promise<number> {
  const start = process.threadCpuUsage();
  await action();
  return sinceMs(start);
}

function sinceMs(start: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(start);
  return (user + system) / 1_000;
}
