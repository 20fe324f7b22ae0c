/** Strata of the demo session as an animated SVG: request by request, what was sent and what was hidden. */
import { type Replayed, replay } from "../src/cli/demo/replay.ts";
import { demoSession } from "../src/cli/demo/session/demo-session.ts";
import type { Store } from "../src/core/ports/store.ts";
import type { Strata } from "../src/core/strata/build-strata.ts";
import { runsWithin } from "../src/core/strata/strata-row.ts";
import type { StrataState } from "../src/core/strata/strata-state.ts";
import { strataOf } from "../src/engine/session/requests/session-strata.ts";

export const ANIMATION_SECONDS = 20;
/** The rest of the time the whole picture stands still. */
const GROWING_SHARE = 0.85;

const COLUMN = 9;
const ROW = 3;
const LEFT = 16;
const TOP = 92;
const BARS = 36;

/** The demo session, replayed as `npm start` does it. */
export async function replayDemo(store?: Store): Promise<Replayed> {
  const steps = replay(demoSession(), { strategy: "ledger", contextWindow: 32_000, maxTokens: 4_000, store });
  for (;;) {
    const next = await steps.next();
    if (next.done === true) return next.value;
  }
}

export async function drawStrataAnimation({ session }: Pick<Replayed, "session">): Promise<string> {
  const strata = await strataOf(session);
  const { requests, rows } = strata;
  const [width, height] = [2 * LEFT + requests.length * COLUMN, TOP + rows.length * ROW + 12];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="Each row is a message, each column a request: the window fills, a fold hides the older messages behind a stand-in, and so on">
<style>${styleOf(requests.length)}</style>
<rect class="surface" width="${width}" height="${height}"/>
<text x="${LEFT}" y="22" class="strong">Each row is a message, each column a request</text>
${legend(width)}
${drawBars(strata)}
<path class="hidden" d="${pathOf(strata, "hidden")}"/>
<path class="cached" d="${pathOf(strata, "cached")}"/>
<path class="sent" d="${pathOf(strata, "sent")}"/>
<path class="stand-in" d="${pathOf(strata, "stand-in")}"/>
${drawFolds(strata)}
<rect class="surface cover" x="${LEFT}" y="${TOP - BARS - 4}" width="${width}" height="${height}"/>
${drawCaptions(strata)}
</svg>
`;
}

/** All runs of one state, as one path of rectangles; hidden ones are thin. */
function pathOf({ rows, requests }: Strata, state: StrataState): string {
  const [inset, height] = state === "hidden" ? [1, 1] : [0, ROW];
  return rows
    .flatMap((row, index) =>
      runsWithin(row, 0, requests.length)
        .filter((run) => run[2] === state)
        .map(([first, last]) => {
          const length = (last - first + 1) * COLUMN;
          return `M${LEFT + first * COLUMN} ${TOP + index * ROW + inset}h${length}v${height}h${-length}z`;
        }),
    )
    .join("");
}

/** What each request took of the window. */
function drawBars({ requests }: Strata): string {
  const most = Math.max(...requests.map(({ promptTokens }) => promptTokens));
  return requests
    .map(({ promptTokens, foldIds }, index) => {
      const height = Math.max(1, Math.round((BARS * promptTokens) / most));
      const kind = foldIds.length > 0 ? "folded" : "bar";
      return `<rect class="${kind}" x="${LEFT + index * COLUMN + 1}" y="${TOP - 4 - height}" width="${COLUMN - 2}" height="${height}"/>`;
    })
    .join("");
}

function drawFolds({ requests, rows }: Strata): string {
  const columns = requests.flatMap(({ foldIds }, index) => (foldIds.length > 0 ? [index] : []));
  return columns
    .map((index) => `<path class="fold" d="M${LEFT + index * COLUMN} ${TOP}v${rows.length * ROW}"/>`)
    .join("");
}

/** One line for each request, of which one shows at a time. */
function drawCaptions({ requests }: Strata): string {
  const stepSeconds = (ANIMATION_SECONDS * GROWING_SHARE) / requests.length;
  const isLast = (index: number) => index === requests.length - 1;
  return requests
    .map(({ promptTokens, hiddenTokens }, index) => {
      const words = `request ${index + 1}: ${thousands(promptTokens)} tokens sent, ${thousands(hiddenTokens)} hidden, none lost`;
      const delay = (index * stepSeconds).toFixed(3);
      return `<text class="${isLast(index) ? "last" : "caption"}" x="${LEFT}" y="42" style="animation-delay:${delay}s">${words}</text>`;
    })
    .join("\n");
}

function legend(width: number): string {
  const entries = [
    ["sent", "sent"],
    ["cached", "cached"],
    ["stand-in", "stand-in"],
    ["hidden", "hidden"],
    ["folded", "fold"],
  ] as const;
  const from = width - LEFT - entries.length * 76;
  return entries
    .map(([kind, name], index) => {
      const x = from + index * 76;
      return `<rect class="${kind}" x="${x}" y="33" width="10" height="10"/><text x="${x + 15}" y="42">${name}</text>`;
    })
    .join("");
}

function thousands(tokens: number): string {
  return tokens < 1_000 ? String(tokens) : `${Math.round(tokens / 1_000)}k`;
}

function styleOf(requests: number): string {
  const growing = 100 * GROWING_SHARE;
  const step = (growing / requests).toFixed(4);
  return `text{font:12px system-ui,sans-serif;fill:#625c53}.strong{font-weight:600;fill:#211e1a}.surface{fill:#fff}.sent{fill:#1d4268}.cached{fill:#9fbdd6}.stand-in{fill:#c2571f}.hidden{fill:#c9beab}.bar{fill:#9fbdd6}.folded{fill:#9a3412}.fold{stroke:#9a3412;stroke-width:1}.caption{visibility:hidden}
@media (prefers-color-scheme:dark){text{fill:#aaa296}.strong{fill:#ece7df}.surface{fill:#1e1b18}.sent{fill:#a5d0f5}.cached{fill:#365c7d}.stand-in{fill:#e98a4b}.hidden{fill:#564e43}.bar{fill:#365c7d}.folded{fill:#f0a06c}.fold{stroke:#f0a06c}}
@keyframes grow{from{transform:translateX(0)}${growing}%,to{transform:translateX(${requests * COLUMN}px)}}
@keyframes show{from{visibility:visible}${step}%,to{visibility:hidden}}
@keyframes stay{from{visibility:visible}${(100 - growing + Number(step)).toFixed(4)}%,to{visibility:hidden}}
.cover{animation:grow ${ANIMATION_SECONDS}s steps(${requests},jump-start) infinite}.caption{animation:show ${ANIMATION_SECONDS}s step-end infinite}.last{visibility:hidden;animation:stay ${ANIMATION_SECONDS}s step-end infinite}
@media (prefers-reduced-motion:reduce){.cover{display:none}.caption,.last{animation:none}.last{visibility:visible}}`;
}
