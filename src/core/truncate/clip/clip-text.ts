import type { CountTextTokens } from "./clip-fit.ts";
import { clipJson } from "./clip-json.ts";
import { clipPlain } from "./clip-plain.ts";

export interface ClipTextOptions {
  /** The result has no more than this, unless the notice alone has more; 40 tokens are always enough for the notice. */
  readonly budgetTokens: number;
  readonly countTokens: CountTextTokens;
  /** Named in the notice. */
  readonly foldId: string;
  /** Tokens of the whole text, where they are known already. @default countTokens(text) */
  readonly totalTokens?: number;
  /** The file that holds the whole text, named in the notice. @default none */
  readonly path?: string | undefined;
}

/**
 * Shows the head and the tail of a text that is too large, with a notice between them; JSON stays JSON.
 *
 * Takes time linear in the text. A text within the budget, or no larger than the notice, comes back as it is.
 */
export function clipText(text: string, options: ClipTextOptions): string {
  const { budgetTokens, countTokens, totalTokens = countTokens(text) } = options;
  if (totalTokens <= budgetTokens) return text;
  const clipped = clipJson(text, { ...options, totalTokens }) ?? clipPlain(text, { ...options, totalTokens });
  return countTokens(clipped) < totalTokens ? clipped : text;
}
