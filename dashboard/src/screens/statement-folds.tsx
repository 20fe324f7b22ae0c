import { useState } from "preact/hooks";
import type { FoldCosts, Statement } from "../api/statement-types.ts";
import { counted, shortNumber, usd, wholeNumber } from "../model/format.ts";
import { sessionHash } from "../model/route.ts";
import { balanceText, type FoldBalance, foldBalances } from "../model/statement-series.ts";
import { causeText } from "../model/strata-cells.ts";
import { Ago, Explain } from "../parts/small-parts.tsx";

interface FoldsProps {
  readonly statement: Statement;
  readonly folds: readonly FoldCosts[];
  readonly sessionId: string;
}

const FIRST_SHOWN = 8;

/** Which folds have paid for themselves, and which have not. */
export function Folds({ statement, folds, sessionId }: FoldsProps) {
  const [showsAll, setShowsAll] = useState(false);
  const isPriced = statement.unpriced < statement.requests;
  const balances = foldBalances(folds);
  const shown = showsAll ? balances : balances.slice(0, FIRST_SHOWN);
  return (
    <section class="card" aria-label="Folds">
      <h2>Did the folds pay?</h2>
      {balances.length === 0 && <p class="muted">Nothing was folded yet.</p>}
      {balances.length > 0 && isPriced && <p>{balanceText(balances)}</p>}
      {balances.length > 0 && (
        <div class="scroll" tabIndex={0} role="region" aria-label="Each fold">
          <table class="stacked">
            <thead>
              <tr>
                <th scope="col">before request</th>
                <th scope="col">when</th>
                <th scope="col">because</th>
                <Heading>hidden tokens</Heading>
                <Heading>cost</Heading>
                <Heading>earned since</Heading>
                <Heading>did it pay?</Heading>
              </tr>
            </thead>
            <tbody>
              {shown.map((fold) => (
                <FoldRow key={fold.request} fold={fold} isPriced={isPriced} sessionId={sessionId} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {shown.length < balances.length && (
        <div class="row">
          <button type="button" onClick={() => setShowsAll(true)}>
            Show {counted(balances.length - shown.length, "older fold")}
          </button>
        </div>
      )}
      <CauseTable folds={statement.folds} isPriced={isPriced} />
      <Explain title="What is a fold?">
        One reversible act of hiding. It costs once, because the provider must read the changed part at full price, and
        earns with each request that no longer carries what it hides. What was brought back by hand costs the same, and
        earns nothing.
      </Explain>
    </section>
  );
}

function Heading({ children }: { readonly children: string }) {
  return (
    <th scope="col" class="number">
      {children}
    </th>
  );
}

interface FoldRowProps {
  readonly fold: FoldBalance;
  readonly isPriced: boolean;
  readonly sessionId: string;
}

function FoldRow({ fold, isPriced, sessionId }: FoldRowProps) {
  const { request, at, cause, hiddenTokens, costUsd, earnedUsd, netUsd, hasPaid } = fold;
  return (
    <tr>
      <td data-label="before request">
        <a href={sessionHash(sessionId, "diff", `${request}-${request + 1}`)}>{wholeNumber(request + 1)}</a>
      </td>
      <td data-label="when">
        <Ago at={at} />
      </td>
      <td data-label="because">{hiddenTokens === 0 ? "something was brought back" : causeText(cause)}</td>
      <td class="number" data-label="hidden">
        {shortNumber(hiddenTokens)}
      </td>
      <td class="number" data-label="cost">
        {isPriced ? usd(costUsd) : "–"}
      </td>
      <td class="number" data-label="earned">
        {isPriced ? usd(earnedUsd) : "–"}
      </td>
      <td class={`number ${isPriced ? (hasPaid ? "good" : "bad") : ""}`} data-label="paid?">
        {isPriced ? `${hasPaid ? "yes, +" : "not yet, "}${usd(netUsd)}` : "–"}
      </td>
    </tr>
  );
}

interface CauseTableProps {
  readonly folds: Statement["folds"];
  readonly isPriced: boolean;
}

function CauseTable({ folds, isPriced }: CauseTableProps) {
  if (folds.length === 0) return null;
  return (
    <details>
      <summary>Summed up by why they were made</summary>
      <table class="stacked">
        <thead>
          <tr>
            <th scope="col">because</th>
            <Heading>requests</Heading>
            <Heading>hidden tokens</Heading>
            <Heading>cost</Heading>
            <Heading>earned</Heading>
          </tr>
        </thead>
        <tbody>
          {folds.map(({ cause, requests, hiddenTokens, costUsd, earnedUsd }) => (
            <tr key={cause}>
              <td data-label="because">{causeText(cause)}</td>
              <td class="number" data-label="requests">
                {wholeNumber(requests)}
              </td>
              <td class="number" data-label="hidden">
                {shortNumber(hiddenTokens)}
              </td>
              <td class="number" data-label="cost">
                {isPriced ? usd(costUsd) : "–"}
              </td>
              <td class="number" data-label="earned">
                {isPriced ? usd(earnedUsd) : "–"}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
