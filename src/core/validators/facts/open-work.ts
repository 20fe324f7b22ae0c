import { isStandIn, summaryId } from "../../message/effective-view.ts";
import type { Message } from "../../message/message.ts";
import { spokenTexts } from "../../text/message-texts.ts";

const LAST_TURNS = 3;
const MAX_TURN_CHARACTERS = 4_000;
const MAX_SUMMARY_CHARACTERS = 20_000;

/** The ends of the last texts that the assistant wrote: where the work stands and what comes next. */
export function* lastAssistantTexts(hidden: readonly Message[]): Generator<string> {
  let turns = 0;
  for (const message of hidden.toReversed()) {
    if (message.role !== "assistant" || isStandIn(message)) continue;
    const texts = spokenTexts(message);
    if (texts.length === 0) continue;
    for (const text of texts) yield text.slice(-MAX_TURN_CHARACTERS);
    turns++;
    if (turns === LAST_TURNS) return;
  }
}

/** The newest summary among the hidden messages: what it carried must be carried on. */
export function* earlierSummaryTexts(hidden: readonly Message[]): Generator<string> {
  const newest = hidden.findLast((message) => summaryId(message) !== undefined);
  if (newest === undefined) return;
  for (const text of spokenTexts(newest)) yield text.slice(0, MAX_SUMMARY_CHARACTERS);
}
