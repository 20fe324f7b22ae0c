import type { CellState } from "../api/strata-types.ts";
import { STATE_MEANINGS, STATE_NAMES } from "../model/strata-cells.ts";
import { Explain } from "../parts/small-parts.tsx";

const STATES: readonly CellState[] = ["sent", "cached", "stand-in", "hidden", "restored"];

/** What the colours and lines of Strata mean. */
export function StrataLegend() {
  return (
    <>
      <ul class="legend inline">
        {STATES.map((state) => (
          <li key={state} title={STATE_MEANINGS[state]}>
            <span class={`swatch fill-${state}`} />
            {STATE_NAMES[state]}
          </li>
        ))}
        <li>
          <span class="swatch fill-accent thin" />
          fold
        </li>
      </ul>
      <Explain title="What is this picture?">
        Each row is a message, each column one request that the agent made. A coloured band means that the message was
        part of it: at the full price, from the provider's cache, or as a short stand-in. A thin line means that it was
        hidden. A vertical line is a fold: the moment at which something was hidden. The column right of the dotted line
        is what the next request would show. Open a message to read it, and to bring it back.
      </Explain>
    </>
  );
}
