/** One line of a plot; `values` has an entry for each request, undefined where it is not known. */
export interface Series {
  readonly name: string;
  /** A custom property of the style sheet. */
  readonly color: string;
  readonly values: readonly (number | undefined)[];
}

export interface PlotSize {
  readonly width: number;
  readonly height: number;
}

export interface PlottedLine {
  readonly name: string;
  readonly color: string;
  /** For the `d` of an SVG path; empty where there is nothing to draw. */
  readonly path: string;
}

export interface Plot {
  readonly lines: readonly PlottedLine[];
  readonly most: number;
  /** Values at which a line is drawn across, from the bottom. */
  readonly ticks: readonly number[];
}

/** Lines over the same axis, from 0 to the highest value. Of thousands of values, each pixel column keeps its lowest and highest. */
export function plot(series: readonly Series[], size: PlotSize): Plot {
  const ticks = ticksTo(Math.max(0, ...series.map(({ values }) => highest(values))));
  const most = ticks.at(-1) ?? 1;
  const lines = series.map(({ name, color, values }) => ({ name, color, path: pathOf(values, { ...size, most }) }));
  return { lines, most, ticks };
}

function highest(values: Series["values"]): number {
  return values.reduce<number>((most, value) => Math.max(most, value ?? 0), 0);
}

/** Three to five round numbers from 0 to at least the highest value. */
export function ticksTo(highestValue: number): readonly number[] {
  if (!(highestValue > 0)) return [0, 1];
  const rough = highestValue / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 2.5, 5, 10].find((each) => each * power >= rough) ?? 10);
  const count = Math.ceil(highestValue / step - 1e-9);
  return Array.from({ length: count + 1 }, (_, index) => index * step);
}

/** Where a request lies across a plot. */
export function xOf(index: number, count: number, width: number): number {
  return round((index / Math.max(1, count - 1)) * width);
}

/** The request that lies nearest to a place across a plot. */
export function indexAt(x: number, count: number, width: number): number {
  return Math.max(0, Math.min(count - 1, Math.round((x / width) * (count - 1))));
}

function pathOf(values: Series["values"], { width, height, most }: PlotSize & { readonly most: number }): string {
  const perPixel = Math.max(1, Math.ceil(values.length / Math.max(1, width)));
  const points: string[] = [];
  for (let start = 0; start < values.length; start += perPixel) {
    const known = values.slice(start, start + perPixel).filter((value) => value !== undefined);
    if (known.length === 0) continue;
    const x = xOf(start, values.length, width);
    const [low, high] = [Math.min(...known), Math.max(...known)];
    const ends = low === high ? [low] : [low, high];
    for (const value of ends) points.push(`${x} ${round(height - (value / most) * height)}`);
  }
  return points.length === 0 ? "" : `M${points.join("L")}`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
