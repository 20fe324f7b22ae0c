import type { RequestCosts } from "../api/statement-types.ts";
import { percent, shortNumber, usd } from "../model/format.ts";
import { statementSeries } from "../model/statement-series.ts";
import { LinePlot } from "../parts/line-plot.tsx";
import { Explain } from "../parts/small-parts.tsx";

interface PlotsProps {
  readonly requests: readonly RequestCosts[];
  readonly isPriced: boolean;
}

/** What the figures of a statement were, request by request. */
export function Plots({ requests, isPriced }: PlotsProps) {
  if (requests.length < 2) return null;
  const { money, sizes, cache, forecast } = statementSeries(requests);
  const hasUsage = requests.some(({ cacheHits }) => cacheHits !== undefined);
  return (
    <section class="card" aria-label="Plots">
      <div class="plots">
        {isPriced && <LinePlot title="Cost so far, and what it would have been" series={money} format={usd} />}
        <LinePlot title="Size of the prompt, in tokens" series={sizes} format={shortNumber} />
        {hasUsage && <LinePlot title="Share of the prompt from the provider's cache" series={cache} format={percent} />}
        {hasUsage && (
          <LinePlot
            title="Forecast error: how far the foretold size was off"
            series={forecast}
            format={(value) => `${Number(value.toFixed(2))} %`}
          />
        )}
      </div>
      <Explain title="What are these lines?">
        Nothing done: the whole conversation in each request, however large. A summary at 80 %: a model summarises
        whenever the window is that full, as many agents do. The optimum: the cheapest moments to fold, known only
        afterwards. Could have come from the cache: what a request shares with the one before it, from the first byte.
      </Explain>
    </section>
  );
}
