import { assert, assertArray } from "../assert.ts";
import type { Message } from "../message/message.ts";
import { countMessageTokens } from "../tokens/count-messages.ts";
import type { Boundary, EvalSession } from "./eval-types.ts";

/** The default positions of boundaries, as shares of a session's model calls. */
export const BOUNDARY_PLACES: readonly number[] = [0.3, 0.5, 0.7, 0.9];

export function checkPlaces(places: readonly number[]): void {
  assertArray("options.places", places);
  for (const place of places) assert(place > 0 && place < 1, "options.places", place, "between 0 and 1");
}

const HORIZON_CALLS = 40;
const MIN_HORIZON_CALLS = 10;

/**
 * The boundaries of a session at fixed shares of its model calls. The horizon is the next 40 calls; it ends early with the session or
 * before the agent's own compaction. Positions with fewer than 10 calls in the horizon are left out.
 */
export function findBoundaries(
  { messages, compactions }: EvalSession,
  places: readonly number[] = BOUNDARY_PLACES,
): readonly Boundary[] {
  const starts = callStarts(messages);
  const tokensBefore = runningTokens(messages);
  const calls = new Set(places.map((place) => Math.floor(place * starts.length)));
  return [...calls].flatMap((call) => {
    const index = starts[call];
    if (index === undefined || index === 0) return [];
    const stops = compactions.map(({ messageIndex }) => messageIndex).filter((stop) => stop > index);
    const horizonEnd = Math.min(starts[call + HORIZON_CALLS] ?? messages.length, ...stops);
    const callsAhead = starts.filter((start) => start >= index && start < horizonEnd).length;
    return callsAhead < MIN_HORIZON_CALLS ? [] : [{ index, horizonEnd, tokens: tokensBefore[index] ?? 0 }];
  });
}

/** The indexes of the replies that begin a model call. Several replies in a row, as some formats save them, count as one. */
export function callStarts(messages: readonly Message[]): readonly number[] {
  return messages.flatMap(({ role }, index) =>
    role === "assistant" && messages[index - 1]?.role !== "assistant" ? [index] : [],
  );
}

function runningTokens(messages: readonly Message[]): readonly number[] {
  const totals = [0];
  let total = 0;
  for (const message of messages) {
    total += countMessageTokens(message);
    totals.push(total);
  }
  return totals;
}
