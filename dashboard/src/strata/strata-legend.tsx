import type { CellState } from "../api/strata-types.ts";
import { STATE_MEANINGS, STATE_NAMES } from "../model/strata-cells.ts";
import { Explain } from "../parts/small-parts.tsx";

const SPEAKERS = [
  ["user", "you"],
  ["assistant", "model"],
  ["toolResults", "tool"],
  ["standIns", "Palimpsest, with a stand-in"],
] as const;

const STATES: readonly (readonly [state: CellState, meaning: string])[] = [
  ["sent", "full price"],
  ["cached", "a fraction of it"],
  ["stand-in", "a short text for it"],
  ["hidden", "not sent, but kept"],
  ["restored", "sent again"],
];

/** The picture in words. */
export function StrataExplained() {
  return (
    <Explain title="Each row is a message, each column one request to the model. What do the colours mean?">
      A coloured band means that the message was part of it: at the full price, from the provider's cache, or as a short
      stand-in. A thin line means that it was hidden. A vertical line is a fold: the moment at which something was
      hidden. The column right of the dotted line is what the next request would show. The bars on top are the sizes of
      requests, in colour where something was folded for one. The strip at the left says who speaks: you, the model, a
      tool, or a stand-in of ours. Open a message to read it, and to bring it back. Where a message has several blocks
      (a text, a call of a tool, its result), the triangle before its name, or the key +, shows a row for each of them:
      one may be hidden while the others are sent.
    </Explain>
  );
}

/** What the colours and lines of Strata mean. */
export function StrataLegend() {
  return (
    <div class="legends">
      <StateLegend />
      <LineLegend />
    </div>
  );
}

function StateLegend() {
  return (
    <ul class="legend inline">
      {STATES.map(([state, meaning]) => (
        <li key={state} title={STATE_MEANINGS[state]}>
          <span class={`swatch fill-${state}`} />
          <span>
            {STATE_NAMES[state]} <span class="meaning">{meaning}</span>
          </span>
        </li>
      ))}
    </ul>
  );
}

function LineLegend() {
  return (
    <ul class="legend inline">
      <li>
        <span class="swatch fill-accent thin" />
        <span>
          fold <span class="meaning">here things were hidden</span>
        </span>
      </li>
      <li class="muted">strip at the left:</li>
      {SPEAKERS.map(([fill, name]) => (
        <li key={name}>
          <span class={`swatch dot fill-${fill}`} />
          {name}
        </li>
      ))}
    </ul>
  );
}
