/** Durations in milliseconds, and how they are printed. */

export async function timed<Value>(work: () => Promise<Value>): Promise<readonly [number, Value]> {
  const start = performance.now();
  const value = await work();
  return [performance.now() - start, value];
}

export function quantile(times: readonly number[], share: number): number {
  return times.toSorted((a, b) => a - b)[Math.ceil(share * (times.length - 1))] ?? Number.NaN;
}

export function sum(times: readonly number[]): number {
  return times.reduce((total, each) => total + each, 0);
}

export function milliseconds(value: number): string {
  if (Number.isNaN(value)) return "–";
  return value.toFixed(value < 1 ? 3 : value < 100 ? 1 : 0);
}

export function ratio(value: number): string {
  return Number.isNaN(value) ? "–" : `${value.toFixed(2)} ×`;
}

export function row(first: string, ...cells: readonly string[]): string {
  return first.padEnd(25) + cells.map((cell) => cell.padStart(12)).join("");
}
