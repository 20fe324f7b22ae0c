import { checkMessages } from "../../message/check-messages.ts";
import { summaryId } from "../../message/effective-view.ts";
import type { Message } from "../../message/message.ts";

/** The messages from the newest summary on, the summary included; all of them where there is none. */
export function getMessagesSinceLastSummary(messages: readonly Message[]): readonly Message[] {
  checkMessages(messages);
  const last = messages.findLastIndex((message) => summaryId(message) !== undefined);
  return last <= 0 ? messages : messages.slice(last);
}
