import { checkMessages } from "../../message/check-messages.ts";
import { collectStandIns, isHidden, summaryId, tellsWhatCameBefore } from "../../message/effective-view.ts";
import type { Message } from "../../message/message.ts";

/**
 * The messages from the newest summary on, the summary included; all messages where there is no summary. The user's first message is put in front
 * of them unless it is among them, or hidden: what the summary stands for is not sent twice.
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
  // A snapshot is two messages with one id: itself, and the acknowledgement.
  const start = lastId === undefined ? newest : messages.findIndex((message) => summaryId(message) === lastId);
  if (start <= 0) return messages;
  const first = messages.find(({ role }) => role === "user");
  const isAmong = first === undefined || messages.indexOf(first) >= start;
  return isAmong || isHidden(first, collectStandIns(messages))
    ? messages.slice(start)
    : [first, ...messages.slice(start)];
}
