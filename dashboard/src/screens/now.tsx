import { sessionPath } from "../api/client.ts";
import type { Now } from "../api/types.ts";
import { counted, percent, shortNumber, usd, wholeNumber } from "../model/format.ts";
import { visibleText } from "../model/safe-text.ts";
import { filledShare, windowBar } from "../model/window-bar.ts";
import { Explain, Loaded } from "../parts/small-parts.tsx";
import { useResource } from "../parts/use-resource.ts";
import { WindowBar } from "../parts/window-bar.tsx";

/** What is in the model's context at this moment, and what the next request costs. */
export function NowScreen({ sessionId }: { readonly sessionId: string }) {
  const { resource } = useResource<Now>(sessionPath(sessionId, "/now"), sessionId);
  return <Loaded of={resource}>{(now) => <NowCards now={now} />}</Loaded>;
}

function NowCards({ now }: { readonly now: Now }) {
  return (
    <>
      <section class="card" aria-labelledby="window-title">
        <div class="title">
          <h2 id="window-title">The window</h2>
          <span class="muted">{filledText(now)}</span>
        </div>
        <WindowBar segments={windowBar(now)} />
        <Explain title="What is the window?">
          The most that the model can read in one request. A token is a piece of a word, about four characters. What
          does not fit, or costs more than it is worth, is hidden behind a short stand-in; nothing is ever deleted.
        </Explain>
      </section>
      <div class="cards">
        <section class="card">
          <h2>Turns left at this pace</h2>
          <p class="figure">{now.turnsLeft === undefined ? "not known yet" : wholeNumber(now.turnsLeft)}</p>
          <p class="muted small">
            {now.turnsLeft === undefined
              ? "It is known as soon as requests have made the conversation longer."
              : `Each request adds about ${counted(Math.round(now.growthTokens), "token")}. ${afterThem(now.turnsLeft)}`}
          </p>
        </section>
        <NextRequest now={now} />
        <LastDecision now={now} />
      </div>
    </>
  );
}

function afterThem(turnsLeft: number): string {
  if (turnsLeft === 0) return "There is no room for one more: something older is hidden for it, and it goes on.";
  return "Then something older is hidden, and it goes on.";
}

/** How full the window is; its size is the model's, which is known from the first request on. */
function filledText(now: Now): string {
  const { promptTokens, contextWindow, modelId } = now;
  const share = filledShare(now);
  if (contextWindow === undefined || share === undefined) {
    return `${counted(promptTokens, "token")}; how large the window is will be known with the first request`;
  }
  const filled = `${wholeNumber(promptTokens)} of ${wholeNumber(contextWindow)} tokens, ${percent(share)}`;
  return modelId === undefined ? filled : `${filled}, ${visibleText(modelId)}`;
}

function NextRequest({ now: { nextRequest, modelId } }: { readonly now: Now }) {
  const isPriced = nextRequest.cachedUsd !== undefined || nextRequest.coldUsd !== undefined;
  return (
    <section class="card">
      <h2>Price of the next request</h2>
      <p class="figure">{isPriced ? usd(nextRequest.cachedUsd) : "–"}</p>
      <p class="muted small">
        {isPriced
          ? `with a warm cache; ${usd(nextRequest.coldUsd)} with a cold one. Providers read what they saw a few minutes ago at about a tenth of the price: that is the cache.`
          : unpricedText(modelId)}
      </p>
    </section>
  );
}

function unpricedText(modelId: string | undefined): string {
  return modelId === undefined
    ? "It is known as soon as a request has named the model."
    : `The prices of the model “${visibleText(modelId)}” are not in our list.`;
}

function LastDecision({ now: { last } }: { readonly now: Now }) {
  return (
    <section class="card">
      <h2>The last decision</h2>
      {last === undefined ? (
        <p class="muted">No request has been recorded in this session yet.</p>
      ) : (
        <>
          <p>{visibleText(last.decision.sentence)}</p>
          <p class="muted small">
            Request {last.index + 1}: {shortNumber(last.promptTokens)} tokens
            {last.cachedShare === undefined ? "" : `, ${percent(last.cachedShare)} from the cache`}
            {last.costUsd === undefined ? "" : `, ${usd(last.costUsd)}`}; {shortNumber(last.hiddenTokens)} tokens were
            hidden.
          </p>
        </>
      )}
    </section>
  );
}
