import { checkMessages } from "../../message/check-messages.ts";
import { collectStandIns, isHidden, summaryId, tellsWhatCameBefore } from "../../message/effective-view.ts";
import type { Message } from "../../message/message.ts";

/**
 * The messages from the newest summary on, the summary included, after the first message of the user where that is neither among them
 * nor hidden: what a summary stands for is not said twice. All of them where there is no summary.
 * @example
 * ```ts
 * import { getMessagesSinceLastSummary, type Message } from "palimpsest/core";
 * const log: Message[] = [
 *   { role: "user", content: "Begin." },
 *   { role: "assistant", content: "Wait.", condenseParent: "c1" },
 *   { role: "assistant", content: "Begun.", isSummary: true, condenseId: "c1" },
 *   { role: "user", content: "Go on." },
 * ];
 * console.log(getMessagesSinceLastSummary(log).map(({ content }) => content)); // [ 'Begin.', 'Begun.', 'Go on.' ]
 * ```
 */
export function getMessagesSinceLastSummary(messages: readonly Message[]): readonly Message[] {
  checkMessages(messages);
  const newest = messages.findLastIndex(tellsWhatCameBefore);
  const lastId = messages.slice(newest, newest + 1).map(summaryId)[0];
  // A snapshot is two messages with one id: itself, and the assistant's word on it.
  const start = lastId === undefined ? newest : messages.findIndex((message) => summaryId(message) === lastId);
  if (start <= 0) return messages;
  const first = messages.find(({ role }) => role === "user");
  const isAmong = first === undefined || messages.indexOf(first) >= start;
  return isAmong || isHidden(first, collectStandIns(messages))
    ? messages.slice(start)
    : [first, ...messages.slice(start)];
}
