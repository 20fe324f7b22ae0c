import { plot, type Series } from "../model/plot.ts";

interface LinePlotProps {
  readonly title: string;
  readonly series: readonly Series[];
  readonly format: (value: number) => string;
}

/** About as wide as it is shown, so that its text is as large as that beside it. */
const SIZE = { width: 330, height: 130 };
const LEFT = 48;

/** Lines over the requests of a session. The numbers stand beside it: nothing is only in the picture. */
export function LinePlot({ title, series, format }: LinePlotProps) {
  const { lines, ticks, most } = plot(series, SIZE);
  const count = Math.max(0, ...series.map(({ values }) => values.length));
  const last = series.map(
    ({ name, values }) => `${name} ${format(values.findLast((value) => value !== undefined) ?? 0)}`,
  );
  const y = (value: number) => 6 + SIZE.height - (value / most) * SIZE.height;
  return (
    <figure class="plot">
      <figcaption>{title}</figcaption>
      <svg
        viewBox={`0 0 ${SIZE.width + LEFT + 8} ${SIZE.height + 30}`}
        role="img"
        aria-label={`${title}, over ${count} requests. At the end: ${last.join(", ")}.`}
      >
        {ticks.map((tick) => (
          <g key={tick}>
            <line class="grid-line" x1={LEFT} x2={LEFT + SIZE.width} y1={y(tick)} y2={y(tick)} />
            <text x={LEFT - 8} y={y(tick) + 4} text-anchor="end">
              {format(tick)}
            </text>
          </g>
        ))}
        <text x={LEFT} y={SIZE.height + 24}>
          request 1
        </text>
        <text x={LEFT + SIZE.width} y={SIZE.height + 24} text-anchor="end">
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
            {name}
          </li>
        ))}
      </ul>
    </figure>
  );
}
