/**
 * `npm run evals -- written-chats`: what recall finds, and what the view shows, of chats between two people and between a person and an assistant that
 * were written for these evals. Half of them is there to choose constants by, half to report alone.
 */
import { countMessagesTokens } from "palimpsest/core";
import { printTable } from "./chats/print-table.ts";
import { longMix, shortMix } from "./chats/written/mixes.ts";
import { chatOf, readWrittenChats, sessionsByDate } from "./chats/written/read-written.ts";
import { printAnswersShown } from "./views/print-answers.ts";

const [LESS_TOKENS, BUDGET_TOKENS] = [4_000, 8_000];

const chats = readWrittenChats();
for (const use of ["tune", "report"] as const) {
  for (const between of ["people", "assistant"] as const) {
    const own = chats.filter((chat) => chat.use === use && chat.between === between);
    const title = `${between === "people" ? "Two people" : "A person and an assistant"} (to ${use})`;
    const each = own.map((chat) => chatOf(chat.name, sessionsByDate([chat]), [chat]));
    printTable(`${title}, chat by chat`, each);
    const short = shortMix(chats, { between, use });
    printTable(`${title}, all chats of the kind as one, ${countMessagesTokens(short.messages)} tokens`, [short]);
    const long = longMix(chats, { between, use });
    if (long === undefined)
      console.error("SKIPPED: what else is said in a long chat. Set PALIMPSEST_TRAINING and PALIMPSEST_DATA.");
    else printTable(`${title}, among others' sessions, ${countMessagesTokens(long.messages)} tokens`, [long]);
    printAnswersShown(`\n${title}, all chats of the kind as one`, short, LESS_TOKENS);
    printAnswersShown(`${title}, all chats of the kind as one`, short, BUDGET_TOKENS);
    if (long !== undefined) printAnswersShown(`${title}, among others' sessions`, long, BUDGET_TOKENS);
  }
}
console.log(`
evidence       of the marked messages' text, what one search of 1,000 tokens shows word for word
touched        marked messages of which it shows anything
recall@10      marked messages among the first ten that are found
answers shown  of the words that give the answers, those that the view shows word for word`);
