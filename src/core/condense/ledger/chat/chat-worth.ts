/**
 * What sentences of a conversation are worth, chosen on the meetings of QMSum's validation part. The unit is one term that no quoted sentence
 * holds yet and that stands in a single message.
 */
export const CHAT_WORTH = {
  /** Any sentence: several short ones tell more than a long one. */
  sentence: 0.3,
  /** Names and numbers, in comparison with other terms. */
  name: 1.5,
  /** A term that this region of the conversation did not hold yet, beside that the whole did not. */
  region: 1,
  /** What a model answered at length, in comparison with what the person said. */
  assistant: 0.1,
  /** What someone tells about themselves. */
  firstPerson: 0.5,
  /** What the person said must, must not or may only be done. */
  rule: 1,
  /** What takes back something that was said before. */
  correction: 3,
  /** A question tells less than its answer. */
  question: 0,
  /** A few words without a name say nothing without what they answer. */
  few: -1,
} as const;
