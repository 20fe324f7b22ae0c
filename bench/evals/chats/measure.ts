import { type Chat, evidenceOf, type Question, textOf } from "./chat.ts";
import type { Search, Shown } from "./searches.ts";

/** Shares, each a mean over the questions. */
export interface ChatFigures {
  readonly search: string;
  /** Of the marked messages' text, what is shown word for word. */
  readonly evidence: number;
  /** Of the marked stretches, those of which anything is shown. */
  readonly touched: number;
  /** Of the marked messages (ten at most can count), those among the first ten. */
  readonly amongTen: number;
  readonly questions: number;
}

const FIRST = 10;
/** Room for ten messages, however long. */
const WIDE_BUDGET_TOKENS = 8_000;

/** Asks a search all questions of all chats, each with the same budget. */
export function measureSearch(search: Search, chats: readonly Chat[], budgetTokens: number): ChatFigures {
  const sums = { evidence: 0, touched: 0, amongTen: 0, questions: 0 };
  for (const chat of chats) {
    const ask = search.prepare(chat.messages);
    for (const question of chat.questions) {
      const shown = ask(question.query, budgetTokens);
      sums.evidence += shareShown(chat, question, shown);
      sums.touched += shareTouched(question, shown);
      sums.amongTen += shareAmongTen(question, ask(question.query, WIDE_BUDGET_TOKENS));
      sums.questions++;
    }
  }
  const mean = (sum: number) => sum / Math.max(1, sums.questions);
  return {
    search: search.name,
    evidence: mean(sums.evidence),
    touched: mean(sums.touched),
    amongTen: mean(sums.amongTen),
    questions: sums.questions,
  };
}

function shareShown({ messages }: Chat, question: Question, shown: readonly Shown[]): number {
  const evidence = evidenceOf(question);
  let sum = 0;
  for (const at of evidence) {
    const message = messages[at];
    const own = shown.filter(({ messageIndex }) => messageIndex === at);
    if (message !== undefined && own.length > 0) sum += coverage(textOf(message), own);
  }
  return sum / evidence.length;
}

/** The share of the text that the excerpts of it cover. */
function coverage(text: string, excerpts: readonly Shown[]): number {
  const isCovered = new Uint8Array(text.length);
  for (const { text: excerpt } of excerpts) {
    const start = text.indexOf(excerpt);
    if (start >= 0) isCovered.fill(1, start, start + excerpt.length);
  }
  return isCovered.reduce((sum, each) => sum + each, 0) / Math.max(1, text.length);
}

function shareTouched({ spans }: Question, shown: readonly Shown[]): number {
  const isTouched = ([first, last]: readonly [number, number]) =>
    shown.some(({ messageIndex }) => messageIndex >= first && messageIndex <= last);
  return spans.filter(isTouched).length / spans.length;
}

function shareAmongTen(question: Question, shown: readonly Shown[]): number {
  const evidence = new Set(evidenceOf(question));
  const first = [...new Set(shown.map(({ messageIndex }) => messageIndex))].slice(0, FIRST);
  return first.filter((at) => evidence.has(at)).length / Math.min(FIRST, evidence.size);
}
