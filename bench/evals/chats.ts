/** `npm run evals -- chats`: how much of the evidence that people marked one recall of 1,000 tokens shows, beside plain searches. */
import { seededRandom } from "palimpsest/evals";
import { DATA_FOLDER, TRAINING_FOLDER } from "../perf/data-folder.ts";
import { readBfcl } from "./chats/bfcl.ts";
import { joinChats } from "./chats/chat.ts";
import { inventChat } from "./chats/invented/invent-chat.ts";
import { BUDGET_TOKENS, printTable } from "./chats/print-table.ts";
import { readQmsum } from "./chats/qmsum.ts";
import { withReplies } from "./chats/replies.ts";

const SEED = 4;

for (const [part, use] of [
  ["val", "to tune"],
  ["test", "to report"],
] as const) {
  const meetings = readQmsum(part);
  if (meetings === undefined) {
    console.error(`SKIPPED: there is no qmsum/${part}.jsonl in ${TRAINING_FOLDER}. Set PALIMPSEST_TRAINING.`);
    continue;
  }
  printTable(`QMSum ${part} (${use})`, meetings);
  printTable(`QMSum ${part} as one long chat (${use})`, [joinChats(meetings, `${part}, all`)]);
}

const random = seededRandom(SEED);
const told = readBfcl();
if (told === undefined) console.error(`SKIPPED: there is no bfcl-v4 in ${DATA_FOLDER}. Set PALIMPSEST_DATA.`);
else {
  printTable("BFCL memory, what a customer and a student tell (to tune)", told);
  const replied = joinChats(
    told.map((chat) => withReplies(chat, random)),
    "with replies",
  );
  printTable("The same with long invented replies (to tune)", [replied]);
}

const talks = Array.from({ length: 6 }, (_, at) =>
  inventChat(`talk ${at}`, { random, sessions: 40, between: "people" }),
);
printTable("Invented talks of two people (shows gross failures, no figure)", talks);
const assistance = inventChat("assistance", { random, sessions: 500, between: "assistant" });
printTable("An invented person and an assistant, 450,000 tokens (shows gross failures, no figure)", [assistance]);
console.log(`
evidence   of the marked messages' text, what one search of ${BUDGET_TOKENS} tokens shows word for word
touched    marked stretches of which it shows anything
recall@10  marked messages among the first ten that are found; ten at most can count
Shares are means over the questions. The searches beside recall show whole messages without headings.`);
