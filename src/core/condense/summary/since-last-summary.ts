import { checkMessages } from "../../message/check-messages.ts";
import { summaryId } from "../../message/effective-view.ts";
import type { Message } from "../../message/message.ts";

/**
 * The messages from the newest summary on, the summary included; all of them where there is none.
 * @example
 * ```ts
 * import { getMessagesSinceLastSummary, type Message } from "palimpsest/core";
 * const log: Message[] = [
 *   { role: "user", content: "Begin.", condenseParent: "c1" },
 *   { role: "assistant", content: "Begun.", isSummary: true, condenseId: "c1" },
 *   { role: "user", content: "Go on." },
 * ];
 * console.log(getMessagesSinceLastSummary(log).map(({ content }) => content)); // [ 'Begun.', 'Go on.' ]
 * ```
 */
export function getMessagesSinceLastSummary(messages: readonly Message[]): readonly Message[] {
  checkMessages(messages);
  const lastId = messages.map(summaryId).findLast((id) => id !== undefined);
  // A snapshot is two messages with one id: itself, and the assistant's word on it.
  const start = messages.findIndex((message) => lastId !== undefined && summaryId(message) === lastId);
  return start <= 0 ? messages : messages.slice(start);
}
