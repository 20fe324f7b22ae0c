import type { TooLong } from "../../core/policy/too-long.ts";

/** What a refusal as too long tells of a model. */
export interface LearnedLimit {
  readonly contextWindow: number;
  /** How many more tokens the model makes of what was sent than was foretold. */
  readonly tokenFactor: number;
}

/** What was believed when the prompt was sent. */
export interface BelievedLimit {
  readonly contextWindow: number;
  /** The prompt as it was foretold; 0 where none was sent. */
  readonly sentTokens: number;
}

/** Where the provider names no numbers, what it takes is assumed to be this share of what it refused. */
const ASSUMED_SHARE = 0.85;
/** A refusal may be about something else: nothing is folded to less than a quarter because of one. */
const MAX_FACTOR = 4;

/** Undefined where there is nothing to learn: another failure, or one about bytes. */
export function learnLimit(tooLong: TooLong, { contextWindow, sentTokens }: BelievedLimit): LearnedLimit | undefined {
  if (!tooLong.isTooLong) {
    const { windowTokens } = tooLong;
    return windowTokens === undefined ? undefined : { contextWindow: windowTokens, tokenFactor: 1 };
  }
  if (tooLong.by === "bytes") return undefined;
  const { promptTokens, limitTokens } = tooLong;
  const window = Math.min(contextWindow, limitTokens ?? contextWindow);
  const sent = sentTokens || window;
  if (promptTokens !== undefined && promptTokens > window) {
    const tokenFactor = Math.min(MAX_FACTOR, Math.max(1, promptTokens / sent));
    return { contextWindow: window, tokenFactor };
  }
  // A smaller window explains the refusal; without one, what was sent is itself more than it takes.
  const isExplained = window < sent;
  return { contextWindow: isExplained ? window : Math.floor(sent * ASSUMED_SHARE), tokenFactor: 1 };
}
