const EIGHTHS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
const LEVELS = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];

/** A bar as long as a share between 0 and 1 of the columns. Any share above 0 is visible. */
export function bar(share: number, columns: number): string {
  const eighths = Math.round(Math.min(1, Math.max(0, share)) * columns * 8);
  const visible = share > 0 ? Math.max(1, eighths) : 0;
  return `${"█".repeat(Math.floor(visible / 8))}${EIGHTHS[visible % 8] ?? ""}`;
}

/** A line of bars, one for each group of neighbouring values. A bar's height is the largest value of its group, relative to the largest of all. */
export function sparkline(values: readonly number[], columns: number): string {
  const largest = values.reduce((most, value) => Math.max(most, value), 0);
  const groups: number[] = [];
  for (const [index, value] of values.entries()) {
    const column = sparklineColumn(index, values.length, columns);
    groups[column] = Math.max(groups[column] ?? 0, value);
  }
  return groups.map((value) => LEVELS[levelOf(value, largest)] ?? "").join("");
}

function levelOf(value: number, largest: number): number {
  return largest === 0 ? 0 : Math.min(LEVELS.length - 1, Math.floor((LEVELS.length * value) / largest));
}

/** The column of the value at `index`, in a sparkline of `count` values and at most `columns` columns. */
export function sparklineColumn(index: number, count: number, columns: number): number {
  return count <= columns ? index : Math.floor((index * columns) / count);
}
