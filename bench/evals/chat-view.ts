/**
 * `npm run evals -- chat-view`: how much of what is asked later about a meeting, or about what people told of themselves, the view shows. QMSum's
 * validation part and BFCL's memory tasks are what the ledger was tuned on, QMSum's test part is what counts.
 */
import type { Message } from "palimpsest";
import { countMessagesTokens } from "palimpsest/core";
import { seededRandom } from "palimpsest/evals";
import { readBfcl } from "./chats/bfcl.ts";
import { joinChats } from "./chats/chat.ts";
import { withReplies } from "./chats/replies.ts";
import { type Meeting, readMeetings } from "./views/meetings.ts";
import { printAnswersShown } from "./views/print-answers.ts";
import { textOf, VIEW_STRATEGIES, type ViewStrategy, viewText } from "./views/view-strategies.ts";

const BUDGETS = [4_000, 8_000, 16_000];
/** A shorter meeting fits nearly whole, whatever is done. */
const LEAST_SHARE = 1.25;
/** Shorter lines are nods, and stand everywhere. */
const LEAST_CHARACTERS = 30;

for (const part of ["val", "test"] as const) {
  const meetings = readMeetings(part);
  if (meetings === undefined) {
    console.error(`SKIPPED: QMSum ${part} is not there. Set PALIMPSEST_TRAINING to the folder that holds qmsum/.`);
    continue;
  }
  for (const budgetTokens of BUDGETS) {
    const long = meetings.filter(({ messages }) => countMessagesTokens(messages) >= LEAST_SHARE * budgetTokens);
    console.log(`\nQMSum ${part}, budget ${budgetTokens}: ${long.length} meetings`);
    console.log(`${"".padEnd(22)}answers' words   marked words   marked lines whole`);
    for (const strategy of VIEW_STRATEGIES) print(strategy, long, budgetTokens);
  }
}

const SEED = 4;
const told = readBfcl();
if (told === undefined)
  console.error("SKIPPED: BFCL is not there. Set PALIMPSEST_DATA to the folder that holds bfcl-v4/.");
else {
  const random = seededRandom(SEED);
  const replied = told.map((chat) => withReplies(chat, random));
  for (const budgetTokens of BUDGETS.slice(0, 2)) {
    printAnswersShown("BFCL memory, customer and student as one (to tune)", joinChats(told, "told"), budgetTokens);
    printAnswersShown("The same with long invented replies (to tune)", joinChats(replied, "replied"), budgetTokens);
  }
}

function print(strategy: ViewStrategy, meetings: readonly Meeting[], budgetTokens: number): void {
  const shares = meetings.map((meeting) =>
    measure(meeting, viewText(strategy.compact(meeting.messages, budgetTokens))),
  );
  const mean = (pick: (shown: Shown) => number) => {
    const sum = shares.reduce((total, shown) => total + pick(shown), 0);
    return `${((100 * sum) / Math.max(1, shares.length)).toFixed(1)} %`;
  };
  console.log(
    strategy.name.padEnd(22) +
      mean(({ answer }) => answer).padEnd(17) +
      mean(({ marked }) => marked).padEnd(15) +
      mean(({ whole }) => whole),
  );
}

/** Shares, as means over the questions of a meeting. */
interface Shown {
  /** Of the words of the answer that the marked lines hold: those that stand in what is shown of these lines. */
  readonly answer: number;
  /** Of the characters of the marked lines: those in sentences that are shown. */
  readonly marked: number;
  /** Of the marked lines that say something: those that are shown whole. */
  readonly whole: number;
}

function measure({ messages, questions }: Meeting, view: string): Shown {
  const flat = flatten(view);
  const shown = questions.map(({ answer, evidence }): Shown => {
    const lines = evidence.flatMap((at) => spokenIn(messages[at]));
    const long = lines.filter((line) => line.length >= LEAST_CHARACTERS);
    const seen = lines.map((line) => sentences(line).filter((sentence) => flat.includes(sentence)));
    const held = new Set(lines.flatMap(words));
    const wanted = words(answer).filter((word) => held.has(word));
    const visible = new Set(seen.flat().flatMap(words));
    const marked = seen.flat().join(" ").length / Math.max(1, lines.join(" ").length);
    return {
      answer: wanted.length === 0 ? marked : wanted.filter((word) => visible.has(word)).length / wanted.length,
      marked,
      whole: long.filter((line) => flat.includes(line)).length / Math.max(1, long.length),
    };
  });
  const mean = (pick: (each: Shown) => number) =>
    shown.reduce((sum, each) => sum + pick(each), 0) / Math.max(1, shown.length);
  return {
    answer: mean(({ answer }) => answer),
    marked: mean(({ marked }) => marked),
    whole: mean(({ whole }) => whole),
  };
}

/** What a message says, without its speaker. */
function spokenIn(message: Message | undefined): readonly string[] {
  if (message === undefined) return [];
  const text = textOf(message);
  return [flatten(text.slice(text.indexOf(": ") + 2))];
}

function flatten(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

function sentences(line: string): readonly string[] {
  return line.split(/(?<=[.!?]) /).filter((sentence) => sentence.length > 3);
}

/** Words of four letters or more, and numbers, each once. */
function words(text: string): readonly string[] {
  return [...new Set(text.toLowerCase().match(/\p{L}{4,}|\p{N}+/gu) ?? [])];
}
