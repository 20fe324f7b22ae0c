import { useMemo } from "preact/hooks";
import { indexAt, plot, type Series, xOf } from "../model/plot.ts";

interface LinePlotProps {
  readonly title: string;
  readonly series: readonly Series[];
  readonly format: (value: number) => string;
  /** The request whose figures stand below the plot. */
  readonly at: number;
  /** Requests that are marked with a line: those that a fold was made for. */
  readonly marks: readonly number[];
  /** Called with the request that is pointed at, and with undefined when none is. */
  readonly onPoint: (index: number | undefined) => void;
}

/** About as wide as it is shown, so that its text is as large as that beside it. */
const [WIDE, NARROW] = [
  { width: 500, height: 150 },
  { width: 280, height: 120 },
];
const LEFT = 48;
const RIGHT = 8;
/** Pixels. Where marks would be closer on average, they would hide the lines, and none is drawn. */
const LEAST_BETWEEN_MARKS = 6;

/** Lines over the requests of a session. The numbers stand beside it: nothing is only in the picture. */
export function LinePlot({ title, series, format, at, marks, onPoint }: LinePlotProps) {
  const size = innerWidth > 640 ? WIDE : NARROW;
  const { lines, ticks, most } = useMemo(() => plot(series, size), [series, size]);
  const count = Math.max(0, ...series.map(({ values }) => values.length));
  const texts = new Map(series.map(({ name, values }) => [name, textAt(values, at, format)]));
  const shown = marks.length * LEAST_BETWEEN_MARKS > size.width ? [] : marks;
  const y = (value: number) => 6 + size.height - (value / most) * size.height;
  const x = (index: number) => LEFT + xOf(index, count, size.width);
  const point = (event: PointerEvent & { readonly currentTarget: Element }) => {
    const box = event.currentTarget.getBoundingClientRect();
    const scale = (size.width + LEFT + RIGHT) / Math.max(1, box.width);
    onPoint(indexAt((event.clientX - box.left) * scale - LEFT, count, size.width));
  };
  const moment = at === count - 1 ? "At the end" : `At request ${at + 1}`;
  return (
    <figure class="plot">
      <figcaption>{title}</figcaption>
      <svg
        viewBox={`0 0 ${size.width + LEFT + RIGHT} ${size.height + 30}`}
        role="img"
        aria-label={`${title}, over ${count} requests. ${moment}: ${series.map(({ name }) => `${name} ${texts.get(name)}`).join(", ")}.`}
        onPointerMove={point}
        onPointerLeave={() => onPoint(undefined)}
      >
        {ticks.map((tick) => (
          <g key={tick}>
            <line class="grid-line" x1={LEFT} x2={LEFT + size.width} y1={y(tick)} y2={y(tick)} />
            <text x={LEFT - 8} y={y(tick) + 4} text-anchor="end">
              {format(tick)}
            </text>
          </g>
        ))}
        {shown.map((mark) => (
          <line key={mark} class="mark-line" x1={x(mark)} x2={x(mark)} y1={6} y2={6 + size.height} />
        ))}
        <line class="at-line" x1={x(at)} x2={x(at)} y1={6} y2={6 + size.height} />
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
            {name} <span class="muted">{texts.get(name)}</span>
          </li>
        ))}
        {shown.length > 0 && (
          <li>
            <span class="swatch dashed" />
            fold
          </li>
        )}
      </ul>
    </figure>
  );
}

/** The value of one request; for the newest one the last that is known. */
function textAt(values: Series["values"], at: number, format: (value: number) => string): string {
  const value = at === values.length - 1 ? values.findLast((each) => each !== undefined) : values[at];
  return value === undefined ? "not known" : format(value);
}
