/** Draws docs/images/demo.svg from real replays of the demo session: `npm run picture`. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";

import { type ReplayStep, replay, type Strategy } from "../src/cli/demo/replay.ts";
import { demoSession } from "../src/cli/demo/session/demo-session.ts";

export const PICTURE_PATH = resolve(import.meta.dirname, "../docs/images/demo.svg");

const WIDTH = 860;
const HEIGHT = 380;
const PLOT = { left: 70, right: 700, top: 56, bottom: 330 };

const LEDGER_STEPS = await replaySteps("ledger");
const SUMMARY_STEPS = await replaySteps("summary");

async function replaySteps(strategy: Strategy): Promise<readonly ReplayStep[]> {
  const steps: ReplayStep[] = [];
  for await (const step of replay(demoSession(), { strategy, contextWindow: 32_000, maxTokens: 4_000 })) {
    steps.push(step);
  }
  return steps;
}

export function drawDemo(): string {
  const mostTokens = Math.max(...LEDGER_STEPS.map((step) => step.logTokens));
  const x = (step: ReplayStep) => PLOT.left + ((PLOT.right - PLOT.left) * step.turn) / step.turns;
  const y = (tokens: number) => PLOT.bottom - ((PLOT.bottom - PLOT.top) * tokens) / mostTokens;
  const line = (steps: readonly ReplayStep[], tokens: (step: ReplayStep) => number) =>
    steps.map((step) => `${x(step).toFixed(1)},${y(tokens(step)).toFixed(1)}`).join(" L");
  const area = (tokens: (step: ReplayStep) => number) =>
    `M${PLOT.left},${PLOT.bottom} L${line(LEDGER_STEPS, tokens)} L${PLOT.right},${PLOT.bottom} Z`;
  const contextWindow = LEDGER_STEPS[0]?.contextWindow ?? 0;
  const lastStep = LEDGER_STEPS.at(-1);
  const ticks = [0, 50_000, 100_000, 150_000].map((tokens) =>
    text(PLOT.left - 10, y(tokens) + 4, thousands(tokens), "end"),
  );
  const condensations = LEDGER_STEPS.filter((step) => step.folds.includes("condense")).map(
    (step) => `<circle class="fold" cx="${x(step).toFixed(1)}" cy="${y(step.viewTokens).toFixed(1)}" r="4"/>`,
  );
  const caption = `turns 1 to ${lastStep?.turns ?? 0}; circles: condensed into a ledger, without a model`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="The log grows while the view stays inside the window">
<style>
  text { font: 13px system-ui, sans-serif; fill: #57606a } .title { font-size: 16px; font-weight: 600; fill: #1f2328 }
  .log { fill: #d0d7de } .view { fill: #0969da } .window { stroke: #cf222e; stroke-width: 1.5; stroke-dasharray: 6 4 }
  .summary { fill: none; stroke: #bf8700; stroke-width: 1.5 } .by-ledger { fill: #0969da } .by-summary { fill: #9a6700 }
  .fold { fill: #fff; stroke: #1f2328; stroke-width: 1.5 } .axis { stroke: #8c959f }
</style>
<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>
${text(PLOT.left, 30, "A coding session through a window of 32,000 tokens", "start", "title")}
<path class="log" d="${area((step) => step.logTokens)}"/>
<path class="view" d="${area((step) => step.viewTokens)}"/>
<path class="summary" d="M${line(SUMMARY_STEPS, (step) => step.viewTokens)}"/>
<line class="window" x1="${PLOT.left}" x2="${PLOT.right}" y1="${y(contextWindow)}" y2="${y(contextWindow)}"/>
<line class="axis" x1="${PLOT.left}" x2="${PLOT.right}" y1="${PLOT.bottom}" y2="${PLOT.bottom}"/>
${condensations.join("\n")}
${ticks.join("\n")}
${text(PLOT.right + 12, y(lastStep?.logTokens ?? 0) + 12, `log: ${thousands(lastStep?.logTokens ?? 0)}, all kept`)}
${text(PLOT.right + 12, y(contextWindow) - 2, `window: ${thousands(contextWindow)}`)}
${text(PLOT.right + 12, y(0) - 32, "sent, by summaries", "start", "by-summary")}
${text(PLOT.right + 12, y(0) - 14, "sent, by the ledger", "start", "by-ledger")}
${text((PLOT.left + PLOT.right) / 2, PLOT.bottom + 34, caption, "middle")}
</svg>
`;
}

function text(left: number, top: number, words: string, anchor = "start", className = ""): string {
  return `<text x="${left}" y="${top.toFixed(1)}" text-anchor="${anchor}" class="${className}">${words}</text>`;
}

function thousands(tokens: number): string {
  return `${Math.round(tokens / 1_000)}k`;
}

if (import.meta.main) {
  mkdirSync(dirname(PICTURE_PATH), { recursive: true });
  writeFileSync(PICTURE_PATH, drawDemo());
}
