import type { Message } from "../../message/message.ts";
import { spokenTexts } from "../message-texts.ts";
import { holdsDecision } from "./holds-decision.ts";

const decidingMessages = new WeakMap<Message, boolean>();

/** Whether something was decided in a message. What a tool returned is no decision of this conversation: only what was said counts. */
export function decides(message: Message): boolean {
  const known = decidingMessages.get(message) ?? spokenTexts(message).some(holdsDecision);
  decidingMessages.set(message, known);
  return known;
}
