import { sessionPath } from "../api/client.ts";
import type { Statement, StatementHistory } from "../api/statement-types.ts";
import { counted, percent, shortNumber, usd, wholeNumber } from "../model/format.ts";
import { Failure, Loaded } from "../parts/small-parts.tsx";
import { useResource } from "../parts/use-resource.ts";
import { Folds } from "./statement-folds.tsx";
import { Plots } from "./statement-plots.tsx";

/** What a session cost, and what the same requests would have cost otherwise. */
export function StatementScreen({ sessionId }: { readonly sessionId: string }) {
  const { resource } = useResource<Statement>(sessionPath(sessionId, "/statement"), sessionId);
  const history = useResource<StatementHistory>(sessionPath(sessionId, "/statement/history"), sessionId).resource;
  const { requests, folds } = history.type === "loaded" ? history.value : NOTHING;
  return (
    <Loaded of={resource}>
      {(statement) =>
        statement.requests === 0 ? (
          <p class="muted">No request has been recorded in this session yet: there is nothing to add up.</p>
        ) : (
          <>
            <MoneyCards statement={statement} />
            {history.type === "failed" && <Failure message={history.message} />}
            <Plots requests={requests} folds={folds} isPriced={isPriced(statement)} />
            <Folds statement={statement} folds={folds} sessionId={sessionId} />
            <OtherCards statement={statement} />
          </>
        )
      }
    </Loaded>
  );
}

const NOTHING: StatementHistory = { requests: [], folds: [] };

/** Whether anything is known about money. */
function isPriced({ requests, unpriced }: Statement): boolean {
  return unpriced < requests;
}

function OtherCards({ statement }: { readonly statement: Statement }) {
  const { forecastErrorPercent, cacheHits, rereads, criticalFacts } = statement;
  return (
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
        <Figure title="Facts kept" value={`${Math.round(100 * shareOf(criticalFacts.visible, criticalFacts.facts))} %`}>
          of {wholeNumber(criticalFacts.facts)} names that later work will probably need were still visible after folds
        </Figure>
      )}
    </div>
  );
}

function MoneyCards({ statement }: { readonly statement: Statement }) {
  const { requests, unpriced, savedUsd, ratioToOptimum } = statement;
  if (unpriced === requests) {
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
        the best moments to fold, known only afterwards, would have cost {usd(statement.optimumUsd)}; below 1 where our
        folds left less than they did on average
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
