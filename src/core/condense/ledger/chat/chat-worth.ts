/**
 * What sentences of a conversation are worth, chosen on the meetings of QMSum's validation part and on what people tell in BFCL's memory tasks. The
 * unit is one term that no quoted sentence holds yet and that stands in a single message, where it is half of a name.
 */
export const CHAT_WORTH = {
  /** Any sentence: several short ones tell more than a long one. */
  sentence: 0.7,
  /** Words that name nobody and nothing: the rarest of them only adorn. */
  word: 0.5,
  /** Names and numbers. */
  name: 1.75,
  /** A term that this region of the conversation did not hold yet, beside that the whole did not. */
  region: 1,
  /** What a model answered at length, in comparison with what the person said. */
  assistant: 0.1,
  /** What someone tells about themselves. */
  firstPerson: 2,
  /** What speaks to the other one: a reaction, mostly. */
  secondPerson: -0.5,
  /** How many, how much, how long. */
  number: 2,
  /** A path, a symbol, a flag: people talk about code as well. */
  symbol: 2,
  /** What the person said must, must not or may only be done. */
  rule: 1,
  /** What takes back something that was said before. */
  correction: 3,
  /** A question tells less than its answer. */
  question: 0,
  /** A few words without a name say nothing without what they answer. */
  few: -1,
} as const;
