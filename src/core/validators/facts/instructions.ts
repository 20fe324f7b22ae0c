import { isStandIn } from "../../message/effective-view.ts";
import type { Message } from "../../message/message.ts";
import { isConstraint } from "../../text/constraint-words.ts";
import { spokenTexts } from "../../text/message-texts.ts";

/** What comes after so many characters of a line or a message is pasted material rather than instruction. */
const MAX_LINE_CHARACTERS = 1_000;
const MAX_REQUEST_CHARACTERS = 4_000;

/** Besides the first request, so many of the newest count. */
const NEWEST_REQUESTS = 3;

/** The user's lines that bind, newest message first: later instructions override earlier ones. */
export function* constraintLines(hidden: readonly Message[]): Generator<string> {
  for (const message of saidByUser(hidden)) {
    for (const text of spokenTexts(message)) {
      for (const line of text.split("\n")) {
        const start = line.slice(0, MAX_LINE_CHARACTERS);
        if (isConstraint(start)) yield start;
      }
    }
  }
}

/** The user's newest messages and the first one, where the goal was set. */
export function* requestTexts(hidden: readonly Message[]): Generator<string> {
  const messages = saidByUser(hidden);
  const first = messages.at(-1);
  const newest = messages.slice(0, NEWEST_REQUESTS);
  const chosen = first === undefined || newest.includes(first) ? newest : [...newest, first];
  for (const message of chosen) {
    for (const text of spokenTexts(message)) yield text.slice(0, MAX_REQUEST_CHARACTERS);
  }
}

function saidByUser(hidden: readonly Message[]): readonly Message[] {
  const isSaid = (message: Message) =>
    message.role === "user" && !isStandIn(message) && spokenTexts(message).length > 0;
  return hidden.filter(isSaid).toReversed();
}
