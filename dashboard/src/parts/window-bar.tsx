import { percent, shortNumber, wholeNumber } from "../model/format.ts";
import type { BarSegment } from "../model/window-bar.ts";

/** The window as one bar, and a legend with its numbers. */
export function WindowBar({ segments }: { readonly segments: readonly BarSegment[] }) {
  const label = segments.map(({ name, tokens }) => `${name} ${wholeNumber(tokens)}`).join(", ");
  return (
    <>
      <div class="bar" role="img" aria-label={`The window by what fills it, in tokens: ${label}`}>
        {segments.map(({ category, name, share }) => (
          <span key={category} class={`fill-${category}`} style={{ width: `${share * 100}%` }} title={name} />
        ))}
      </div>
      <ul class="legend">
        {segments.map(({ category, name, meaning, tokens, share }) => (
          <li key={category}>
            <span class={`swatch fill-${category}`} />
            <span>
              <strong>{name}</strong> <span class="muted">{meaning}</span>
            </span>
            <span class="number">{shortNumber(tokens)}</span>
            <span class="number muted">{percent(share)}</span>
          </li>
        ))}
      </ul>
    </>
  );
}
