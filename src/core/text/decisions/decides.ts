import type { Message } from "../../message/message.ts";
import { spokenTexts } from "../message-texts.ts";
import { holdsDecision } from "./holds-decision.ts";

const cachedAnswers = new WeakMap<Message, boolean>();

/** Whether a message states a decision in its own text. Decisions in the results of tools are not those of this conversation. */
export function decides(message: Message): boolean {
  const answer = cachedAnswers.get(message) ?? spokenTexts(message).some(holdsDecision);
  cachedAnswers.set(message, answer);
  return answer;
}
