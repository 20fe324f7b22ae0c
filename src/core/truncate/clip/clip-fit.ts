/** Counts the tokens of a text, including what its place in a block adds. */
export type CountTextTokens = (text: string) => number;

/** How far to clip a text, and what its notice says. */
export interface Clip {
  readonly budgetTokens: number;
  readonly countTokens: CountTextTokens;
  /** Tokens of the whole text. */
  readonly totalTokens: number;
  readonly foldId: string;
  /** The file that holds the whole text. */
  readonly path?: string | undefined;
}

export interface FitToBudgetOptions extends Omit<Clip, "foldId" | "path"> {
  /** Shows about so many characters of the original; nothing of it at 0. */
  readonly render: (characters: number) => string;
  readonly totalCharacters: number;
}

/** A rendering that fills this share of the room is good enough: a further count would gain less than it costs. */
const GOOD_SHARE = 0.95;
/** Guesses aim a little below the budget: one that misses it needs a further guess. */
const CAUTION = 0.97;
const MAX_COUNTS = 12;

/**
 * The largest rendering within the budget that a few counts can find; the smallest rendering when none is within the budget.
 *
 * Every count is of a rendering, never of the original, and their number is bounded whatever the counter says.
 */
export function fitToBudget({
  render,
  countTokens,
  budgetTokens,
  totalTokens,
  totalCharacters,
}: FitToBudgetOptions): string {
  let best = render(0);
  const baseTokens = countTokens(best);
  const room = budgetTokens - baseTokens;
  let low = 0;
  let high = totalCharacters;
  let characters = ((totalCharacters * room) / totalTokens) * CAUTION;
  for (let count = 1; room > 0 && count < MAX_COUNTS; count++) {
    // Also when the guess is not a number: the counter is not ours.
    if (!(characters > low && characters < high)) characters = (low + high) / 2;
    characters = Math.floor(characters);
    if (characters <= low) break;
    const candidate = render(characters);
    const tokens = countTokens(candidate);
    if (tokens <= budgetTokens) {
      best = candidate;
      low = characters;
      if (tokens - baseTokens >= room * GOOD_SHARE) break;
    } else {
      high = characters;
    }
    characters *= (room / Math.max(1, tokens - baseTokens)) * CAUTION;
  }
  return best;
}
