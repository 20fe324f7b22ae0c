import { isStandIn } from "../message/effective-view.ts";
import type { Message } from "../message/message.ts";
import { isFoldEvent, type UiMessage } from "./ui-messages.ts";

interface SaidMessage {
  readonly index: number;
  readonly role: Message["role"];
  readonly ts: number;
}

/**
 * The index from which on the API history lies at or after a UI message; its length where nothing does.
 *
 * While a reply streams, a UI message may be older than the API message it belongs to, and than the reply that it answers.
 * So, where no API message has its time but some are older, the history is cut at the first user message from then on.
 */
export function findApiBoundary(messages: readonly Message[], target: UiMessage): number {
  const said = messages.flatMap((message, index) => saidMessage(message, index));
  const exact = said.find(({ ts }) => ts === target.ts);
  if (exact !== undefined) return exact.index;
  const later = said.filter(({ ts }) => ts > target.ts);
  // A fold happens between two requests and has no API message that could come late: its time is exact.
  const mayRace = later.length < said.length && !isFoldEvent(target);
  const boundary = (mayRace ? later.find(({ role }) => role === "user") : undefined) ?? later[0];
  return boundary?.index ?? messages.length;
}

/** Summaries and markers are left out: their times only say where they stand, and some have the role of a user. */
function saidMessage(message: Message, index: number): readonly SaidMessage[] {
  const { role, ts } = message;
  return typeof ts !== "number" || isStandIn(message) ? [] : [{ index, role, ts }];
}
