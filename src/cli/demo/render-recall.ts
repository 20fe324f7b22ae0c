import { cutToWidth, displayWidth } from "../terminal/display-width.ts";
import { formatCount } from "../terminal/numbers.ts";
import { oneLine } from "../terminal/safe-text.ts";
import type { RecalledFact } from "./recall-facts.ts";
import type { DemoReport } from "./report.ts";

const EXCERPT_WIDTH = 84;
/** How much of a long line is shown before an answer that stands far behind its beginning. */
const CHARACTERS_BEFORE = 20;

/** What is said at the end: one hidden fact, and what a recall brought back. */
export function recallText({ recall, hiddenFacts }: DemoReport, tookMs: number): string {
  if (recall === undefined) return "  recall: every fact is still visible, there is nothing to ask for\n\n";
  const effort = `${formatCount(recall.tokens)} tokens in ${formatCount(tookMs)} ms, index included`;
  const { total, found } = hiddenFacts;
  return [
    `  recall, for the oldest fact that the ledger's view hides: ${effort}`,
    `    ? ${recall.question}`,
    `    ${answerLine(recall)}`,
    `  ${formatCount(found)} of ${formatCount(total)} hidden facts are found by one recall each; all can be restored`,
    "",
    "",
  ].join("\n");
}

function answerLine({ answer, excerpt, messageId }: RecalledFact): string {
  if (excerpt === undefined) return `✗ no excerpt holds ${JSON.stringify(answer)}`;
  return `✓ ${messageId} │ ${aroundAnswer(oneLine(excerpt), answer)}`;
}

function aroundAnswer(line: string, answer: string): string {
  const start = Math.max(0, line.indexOf(answer));
  const before = line.slice(0, start);
  if (displayWidth(before) + displayWidth(answer) < EXCERPT_WIDTH) return cutToWidth(line, EXCERPT_WIDTH);
  const near = [...before].slice(-CHARACTERS_BEFORE).join("");
  return cutToWidth(`…${near}${line.slice(start)}`, EXCERPT_WIDTH);
}
