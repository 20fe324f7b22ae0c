import { useEffect, useState } from "preact/hooks";
import { type Api, sessionPath } from "../api/client.ts";
import type { Statement } from "../api/statement-types.ts";
import type { RequestEntry, RequestPage } from "../api/types.ts";
import { counted, percent, shortNumber, usd, wholeNumber } from "../model/format.ts";
import { statementSeries } from "../model/statement-series.ts";
import { causeText } from "../model/strata-cells.ts";
import { useGateway } from "../parts/gateway-context.ts";
import { LinePlot } from "../parts/line-plot.tsx";
import { Explain, Loaded } from "../parts/small-parts.tsx";
import { onChange, useResource } from "../parts/use-resource.ts";

/** What a session cost, and what the same requests would have cost otherwise. */
export function StatementScreen({ sessionId }: { readonly sessionId: string }) {
  const { resource } = useResource<Statement>(sessionPath(sessionId, "/statement"), sessionId);
  const requests = useRequests(sessionId);
  return (
    <>
      <Loaded of={resource}>{(statement) => <StatementCards statement={statement} />}</Loaded>
      <Plots requests={requests} />
    </>
  );
}

function StatementCards({ statement }: { readonly statement: Statement }) {
  const { forecastErrorPercent, cacheHits, rereads, criticalFacts } = statement;
  return (
    <>
      <MoneyCards statement={statement} />
      <FoldTable statement={statement} />
      <div class="cards">
        <Figure
          title="From the cache"
          value={
            cacheHits.expectedTokens === 0 ? "–" : percent(shareOf(cacheHits.reportedTokens, cacheHits.expectedTokens))
          }
        >
          of the tokens that should have come from the provider's cache did: {shortNumber(cacheHits.reportedTokens)} of{" "}
          {shortNumber(cacheHits.expectedTokens)}
        </Figure>
        <Figure title="Cold calls" value={wholeNumber(statement.coldCalls)}>
          requests after a pause in which the provider forgot the prompt
        </Figure>
        <Figure
          title="Forecast error"
          value={forecastErrorPercent === undefined ? "–" : `${forecastErrorPercent.p50.toFixed(2)} %`}
        >
          median between the size that was foretold and the one that was reported
          {forecastErrorPercent === undefined ? "" : `; 99 of 100 within ${forecastErrorPercent.p99.toFixed(1)} %`}
        </Figure>
        <Figure title="Read again" value={shortNumber(rereads.tokens)}>
          tokens in {wholeNumber(rereads.requests)} requests, because a fold had hidden them
        </Figure>
        {criticalFacts === undefined ? null : (
          <Figure
            title="Facts kept"
            value={`${Math.round(100 * shareOf(criticalFacts.visible, criticalFacts.facts))} %`}
          >
            of {wholeNumber(criticalFacts.facts)} names that later work will probably need were still visible after
            folds
          </Figure>
        )}
      </div>
    </>
  );
}

function MoneyCards({ statement }: { readonly statement: Statement }) {
  const { requests, unpriced, savedUsd, ratioToOptimum } = statement;
  if (requests > 0 && unpriced === requests) {
    return (
      <p class="notice">
        What {counted(requests, "request")} cost is not known: the provider reported no usage, or the model's prices are
        not in our list. Figures of money are left out.
      </p>
    );
  }
  return (
    <div class="cards">
      <Figure title="Spent" value={usd(statement.spentUsd)}>
        {counted(requests, "request")}, by the usage that the provider reported
        {unpriced === 0 ? "" : `; what ${wholeNumber(unpriced)} of them cost is not known`}
      </Figure>
      <Saving title="Against doing nothing" savedUsd={savedUsd.againstNothing}>
        with the whole conversation in each request it would have been {usd(statement.withoutFoldsUsd)}
      </Saving>
      <Saving title="Against a summary at 80 %" savedUsd={savedUsd.againstSummaryAt80}>
        a model that summarises at 80 % of the window would have cost {usd(statement.withSummaryAt80Usd)}
      </Saving>
      <Figure title="Against the optimum" value={ratioToOptimum === undefined ? "–" : `${ratioToOptimum.toFixed(2)} ×`}>
        the cheapest schedule of folds as large as ours, known only afterwards, would have cost{" "}
        {usd(statement.optimumUsd)}
      </Figure>
    </div>
  );
}

interface SavingProps {
  readonly title: string;
  /** Negative where the other way would have been cheaper. */
  readonly savedUsd: number;
  readonly children: preact.ComponentChildren;
}

function Saving({ title, savedUsd, children }: SavingProps) {
  return (
    <Figure title={title} value={usd(Math.abs(savedUsd))} isMoney={savedUsd}>
      {savedUsd < 0 ? "more spent" : "saved"}; {children}
    </Figure>
  );
}

function shareOf(part: number, whole: number): number {
  return whole > 0 ? part / whole : 0;
}

interface FigureProps {
  readonly title: string;
  readonly value: string;
  readonly isMoney?: number;
  readonly children: preact.ComponentChildren;
}

function Figure({ title, value, isMoney, children }: FigureProps) {
  const sign = isMoney === undefined || isMoney === 0 ? "" : isMoney > 0 ? "good" : "bad";
  return (
    <section class="card">
      <h2>{title}</h2>
      <p class={`figure ${sign}`}>{value}</p>
      <p class="muted small">{children}</p>
    </section>
  );
}

function FoldTable({ statement: { folds, requests, unpriced } }: { readonly statement: Statement }) {
  const isPriced = unpriced < requests;
  return (
    <section class="card">
      <h2>Folds, by why they were made</h2>
      {folds.length === 0 ? (
        <p class="muted">Nothing was folded yet.</p>
      ) : (
        <div class="scroll" tabIndex={0} role="region" aria-label="Folds by cause">
          <table>
            <thead>
              <tr>
                <th scope="col">because</th>
                <th scope="col" class="number">
                  requests
                </th>
                <th scope="col" class="number wide-only">
                  hidden tokens
                </th>
                <th scope="col" class="number">
                  cost
                </th>
                <th scope="col" class="number">
                  earned
                </th>
                <th scope="col">paid?</th>
              </tr>
            </thead>
            <tbody>
              {folds.map(({ cause, requests, hiddenTokens, costUsd, earnedUsd }) => (
                <tr key={cause}>
                  <td>{causeText(cause)}</td>
                  <td class="number">{wholeNumber(requests)}</td>
                  <td class="number wide-only">{shortNumber(hiddenTokens)}</td>
                  <td class="number">{isPriced ? usd(costUsd) : "–"}</td>
                  <td class="number">{isPriced ? usd(earnedUsd) : "–"}</td>
                  <Paid isPriced={isPriced} earnedUsd={earnedUsd - costUsd} />
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <Explain title="What is a fold?">
        One reversible act of hiding. It costs once, because the provider must read the changed part at full price, and
        earns with each request that no longer carries what it hides.
      </Explain>
    </section>
  );
}

function Paid({ isPriced, earnedUsd }: { readonly isPriced: boolean; readonly earnedUsd: number }) {
  if (!isPriced) return <td>–</td>;
  return <td class={earnedUsd >= 0 ? "good" : "bad"}>{earnedUsd >= 0 ? "yes" : "not yet"}</td>;
}

function Plots({ requests }: { readonly requests: readonly RequestEntry[] }) {
  if (requests.length < 2) return null;
  const { money, sizes, cache } = statementSeries(requests);
  return (
    <section class="card" aria-label="Plots">
      <div class="beside">
        <LinePlot title="Cost so far" series={money} format={usd} />
        <LinePlot title="Size of the prompt, in tokens" series={sizes} format={shortNumber} />
        <LinePlot title="Share that came from the cache" series={cache} format={percent} />
      </div>
    </section>
  );
}

const PAGE = 1_000;
const MOST_PAGES = 20;

/** All requests of a session; when it goes on, only the new ones are asked for. */
function useRequests(sessionId: string): readonly RequestEntry[] {
  const { api, live } = useGateway();
  const [requests, setRequests] = useState<readonly RequestEntry[]>([]);
  useEffect(() => {
    let known: readonly RequestEntry[] = [];
    const load = async () => {
      // The newest may have got its usage since.
      known = [...known.slice(0, -1), ...(await readRequests(api, sessionId, known.length - 2))];
      setRequests(known);
    };
    const tryLoad = () => void load().catch(() => {});
    tryLoad();
    return onChange(live, sessionId, tryLoad);
  }, [api, live, sessionId]);
  return requests;
}

async function readRequests(api: Api, sessionId: string, after: number): Promise<readonly RequestEntry[]> {
  const read: RequestEntry[] = [];
  let next: number | undefined = Math.max(-1, after);
  for (let page = 0; next !== undefined && page < MOST_PAGES; page++) {
    const found: RequestPage = await api.get(sessionPath(sessionId, `/requests?after=${next}&limit=${PAGE}`));
    read.push(...found.requests);
    next = found.nextAfter;
  }
  return read;
}
