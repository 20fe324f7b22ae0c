import type { TooLong } from "../../core/policy/too-long.ts";

/** What a provider's "too long" error teaches about a model. */
export interface LearnedLimit {
  readonly contextWindow: number;
  /** The prompt's size as the provider counted it, divided by our forecast of it. */
  readonly tokenFactor: number;
}

/** What the session assumed when the prompt was sent. */
export interface BelievedLimit {
  readonly contextWindow: number;
  /** Our forecast of the prompt's size; 0 where none was sent. */
  readonly sentTokens: number;
}

/** Where the error names no numbers, the limit is assumed to be this share of the prompt that was refused. */
const ASSUMED_SHARE = 0.85;
/** The largest factor that one error teaches, as it may be about something else: no view is folded to less than a quarter because of it. */
const MAX_FACTOR = 4;

/** Reads the model's window and token factor from an error. Undefined where the error teaches none: it is another error, or one about bytes. */
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
  // A window smaller than the prompt explains the error; otherwise the window itself must be smaller than we assume.
  const isExplained = window < sent;
  return { contextWindow: isExplained ? window : Math.floor(sent * ASSUMED_SHARE), tokenFactor: 1 };
}
