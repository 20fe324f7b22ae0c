import type { Message } from "./message.ts";
import { detectPairs } from "./tool-pairs.ts";

/** A run of neighbouring messages that is hidden or shown as a whole: `start` inclusive, `end` exclusive. */
export interface Unit {
  readonly start: number;
  readonly end: number;
}

/**
 * Cuts messages into units: a tool call with its results and all that lies between them, or a single message.
 * Hiding whole units never leaves half a tool pair behind.
 *
 * A call that is still running takes all that came after it into its unit: its result is still to come. A result that came after the
 * model had gone on makes no unit with its call: no provider takes the two for a pair, and all that lies between them may be most of the log.
 */
export function detectUnits(messages: readonly Message[]): readonly Unit[] {
  const unitEnd = messages.map((_, index) => index + 1);
  const currentTurn = startOfLastAssistantTurn(messages);
  const turns = numberTurns(messages);
  for (const { call, result } of detectPairs(messages)) {
    // An open call in an earlier turn was interrupted: the model went on without its result.
    const openEnd = call.messageIndex >= currentTurn ? messages.length : 0;
    const isAnswered = result !== undefined && turns[result.messageIndex] === (turns[call.messageIndex] ?? 0) + 1;
    const end = isAnswered ? result.messageIndex + 1 : openEnd;
    unitEnd[call.messageIndex] = Math.max(unitEnd[call.messageIndex] ?? 0, end);
  }
  const units: Unit[] = [];
  for (let start = 0; start < messages.length; start = units.at(-1)?.end ?? messages.length) {
    let end = start + 1;
    // The end moves on while messages inside the unit have partners beyond it (parallel calls, interleaved results).
    for (let index = start; index < end; index++) end = Math.max(end, unitEnd[index] ?? end);
    units.push({ start, end });
  }
  return units;
}

/** Neighbouring messages of one role are one turn. */
function numberTurns(messages: readonly Message[]): readonly number[] {
  let turn = 0;
  return messages.map(({ role }, index) => {
    if (index > 0 && role !== messages[index - 1]?.role) turn += 1;
    return turn;
  });
}

function startOfLastAssistantTurn(messages: readonly Message[]): number {
  const last = messages.findLastIndex((message) => message.role === "assistant");
  return messages.findLastIndex((message, index) => index < last && message.role !== "assistant") + 1;
}
