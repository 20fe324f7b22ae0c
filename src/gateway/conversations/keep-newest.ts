import type { Message } from "../../core/message/message.ts";
import { detectUnits } from "../../core/message/units.ts";
import { countMessagesTokens } from "../../core/tokens/count-messages.ts";

/** A ledger that has less room than this share of what it stands for leaves out too much: better a shorter tail then. */
const LEAST_QUOTED_SHARE = 0.3;
/** What condenses less than to this is refused as not worth it, and what is taken instead cannot be aimed. */
const MOST_LEFT_SHARE = 0.79;
/** However much is kept, a ledger takes about this share of the view that it is made of. */
const LEAST_LEDGER_SHARE = 0.12;

/**
 * The messages with the newest marked as important, so that a ledger leaves them as they are: as many as leave it room to quote the others
 * well. On its own it would leave a quarter of its room to them, and shrink any view to six tenths, for the turns that follow. None
 * follows a summary. `targetTokens` is what all of it may take.
 */
export function keepNewest(messages: readonly Message[], targetTokens: number): readonly Message[] {
  const all = countMessagesTokens(messages);
  if (all <= targetTokens) return messages;
  const target = Math.min(targetTokens, MOST_LEFT_SHARE * all);
  const quotable = (target - LEAST_QUOTED_SHARE * all) / (1 - LEAST_QUOTED_SHARE);
  const mostKept = Math.min(quotable, target - LEAST_LEDGER_SHARE * all);
  let start = messages.length;
  let kept = 0;
  for (const unit of detectUnits(messages).toReversed()) {
    kept += countMessagesTokens(messages.slice(unit.start, unit.end));
    if (kept > mostKept) break;
    if (opensTurn(messages, unit.start)) start = unit.start;
  }
  return messages.map((message, index) => (index < start ? message : { ...message, important: true }));
}

/** Neighbouring messages of the assistant are one turn. */
function opensTurn(messages: readonly Message[], index: number): boolean {
  return messages[index]?.role !== "assistant" || messages[index - 1]?.role !== "assistant";
}
