import { useMemo, useState } from "preact/hooks";
import type { FoldCosts, RequestCosts } from "../api/statement-types.ts";
import { percent, shortNumber, usd, wholeNumber } from "../model/format.ts";
import { statementSeries } from "../model/statement-series.ts";
import { LinePlot } from "../parts/line-plot.tsx";
import { Explain } from "../parts/small-parts.tsx";

interface PlotsProps {
  readonly requests: readonly RequestCosts[];
  readonly folds: readonly FoldCosts[];
  readonly isPriced: boolean;
}

/** What the figures of a statement were, request by request. */
export function Plots({ requests, folds, isPriced }: PlotsProps) {
  // Undefined is the newest request, also after it is no longer the newest.
  const [chosen, setChosen] = useState<number>();
  const [pointed, setPointed] = useState<number>();
  const { money, sizes, cache, forecast } = useMemo(() => statementSeries(requests), [requests]);
  if (requests.length < 2) return null;
  const hasUsage = requests.some(({ cacheHits }) => cacheHits !== undefined);
  const last = requests.length - 1;
  const at = Math.min(last, pointed ?? chosen ?? last);
  const shared = { at, marks: folds.map(({ request }) => request), onPoint: setPointed };
  return (
    <section class="card" aria-label="Plots">
      <label class="row plot-at">
        <span>
          Figures below the lines: request {wholeNumber(at + 1)} of {wholeNumber(requests.length)}
        </span>
        <input
          type="range"
          aria-label="The request whose figures stand below the lines"
          min={1}
          max={requests.length}
          value={at + 1}
          onInput={({ currentTarget: { valueAsNumber } }) => setChosen(valueAsNumber - 1)}
        />
      </label>
      <div class="plots">
        {isPriced && (
          <LinePlot title="Cost so far, and what it would have been" series={money} format={usd} {...shared} />
        )}
        <LinePlot title="Size of the prompt, in tokens" series={sizes} format={shortNumber} {...shared} />
        {hasUsage && (
          <LinePlot title="Share of the prompt from the provider's cache" series={cache} format={percent} {...shared} />
        )}
        {hasUsage && (
          <LinePlot
            title="Forecast error: how far the foretold size was off"
            series={forecast}
            format={(value) => `${Number(value.toFixed(2))} %`}
            {...shared}
          />
        )}
      </div>
      <Explain title="What are these lines?">
        Nothing done: the whole conversation in each request, however large. A summary at 80 %: a model summarises
        whenever the window is that full, as many agents do. The optimum: the cheapest moments to fold, known only
        afterwards. Could have come from the cache: what a request shares with the one before it, from the first byte.
        Dashed lines are folds: the prompt gets smaller, and the part behind the fold is not in the cache for one
        request. Point at a plot, or move the slider, to read the figures of another request.
      </Explain>
    </section>
  );
}
