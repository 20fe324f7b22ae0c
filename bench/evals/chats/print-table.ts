import type { Chat } from "./chat.ts";
import { measureSearch } from "./measure.ts";
import { SEARCHES } from "./searches.ts";

/** What one search may show. */
export const BUDGET_TOKENS = 1_000;

const percent = (share: number) => `${(100 * share).toFixed(1)} %`;

/** Prints what each search finds of the marked evidence of these chats. */
export function printTable(title: string, chats: readonly Chat[]): void {
  const messages = chats.reduce((sum, chat) => sum + chat.messages.length, 0);
  const questions = chats.reduce((sum, chat) => sum + chat.questions.length, 0);
  console.log(`\n${title}: ${chats.length} chats, ${messages} messages, ${questions} questions.`);
  console.log("search                 evidence   touched   recall@10");
  for (const search of SEARCHES) {
    const { evidence, touched, amongTen } = measureSearch(search, chats, BUDGET_TOKENS);
    const cells = [percent(evidence).padStart(8), percent(touched).padStart(9), percent(amongTen).padStart(11)];
    console.log(`${search.name.padEnd(22)} ${cells.join(" ")}`);
  }
}
