/**
 * How people say in one language that something is decided. In lower case; `…` stands for up to sixty characters of the
 * same sentence, `*` for any ending of a word. Plain plans ("I'll use the search tool") are left out on purpose: agents say
 * them before every step.
 */
export interface DecisionWords {
  /** Whether spaces separate words. Where words or their endings are written together, phrases are found anywhere. */
  readonly isSpaced: boolean;
  /** A sentence with one of them states a decision … */
  readonly stated: readonly string[];
  /** … unless it has one of these: it says that nothing is decided yet, or means another sense of the word. */
  readonly denied: readonly string[];
}
