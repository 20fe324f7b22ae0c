import { plot, type Series } from "../model/plot.ts";

interface LinePlotProps {
  readonly title: string;
  readonly series: readonly Series[];
  readonly format: (value: number) => string;
}

/** About as wide as it is shown, so that its text is as large as that beside it. */
const [WIDE, NARROW] = [
  { width: 500, height: 150 },
  { width: 280, height: 120 },
];
const LEFT = 48;

/** Lines over the requests of a session. The numbers stand beside it: nothing is only in the picture. */
export function LinePlot({ title, series, format }: LinePlotProps) {
  const size = innerWidth > 640 ? WIDE : NARROW;
  const { lines, ticks, most } = plot(series, size);
  const count = Math.max(0, ...series.map(({ values }) => values.length));
  const last = new Map(series.map(({ name, values }) => [name, values.findLast((value) => value !== undefined)]));
  const lastText = (name: string) => {
    const value = last.get(name);
    return value === undefined ? "not known" : format(value);
  };
  const y = (value: number) => 6 + size.height - (value / most) * size.height;
  return (
    <figure class="plot">
      <figcaption>{title}</figcaption>
      <svg
        viewBox={`0 0 ${size.width + LEFT + 8} ${size.height + 30}`}
        role="img"
        aria-label={`${title}, over ${count} requests. At the end: ${series.map(({ name }) => `${name} ${lastText(name)}`).join(", ")}.`}
      >
        {ticks.map((tick) => (
          <g key={tick}>
            <line class="grid-line" x1={LEFT} x2={LEFT + size.width} y1={y(tick)} y2={y(tick)} />
            <text x={LEFT - 8} y={y(tick) + 4} text-anchor="end">
              {format(tick)}
            </text>
          </g>
        ))}
        <text x={LEFT} y={size.height + 24}>
          request 1
        </text>
        <text x={LEFT + size.width} y={size.height + 24} text-anchor="end">
          {count}
        </text>
        {lines.map(({ name, color, path }) => (
          <path key={name} d={path} transform={`translate(${LEFT} 6)`} class={`line-${color}`} />
        ))}
      </svg>
      <ul class="legend inline">
        {lines.map(({ name, color }) => (
          <li key={name}>
            <span class={`swatch fill-${color}`} />
            {name} <span class="muted">{lastText(name)}</span>
          </li>
        ))}
      </ul>
    </figure>
  );
}
