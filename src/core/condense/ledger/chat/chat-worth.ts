/**
 * The worth of sentences in a conversation, chosen on the meetings of QMSum's validation part and on what people tell in BFCL's memory tasks. The
 * unit is a term that no quoted sentence has yet and that occurs in a single message.
 */
export const CHAT_WORTH = {
  /** Any sentence: several short ones tell more than a long one. */
  sentence: 0.7,
  /** A term that is no name: the rarest of these are mere ornaments. */
  word: 0.5,
  /** A term that is a name or a number. */
  name: 1.75,
  /** A term that no quoted sentence of this region has yet; added to its worth for the whole conversation. */
  region: 1,
  /** The factor for a model's long answers, compared with the person's messages. */
  assistant: 0.1,
  /** A sentence in which someone speaks of themselves. */
  firstPerson: 2,
  /** A sentence that addresses the other one: mostly a reaction. */
  secondPerson: -0.5,
  /** A sentence with a number. */
  number: 2,
  /** A sentence with a path, a symbol or a flag: people talk about code as well. */
  symbol: 2,
  /** A sentence in which the person said what must, must not or may only be done. */
  rule: 1,
  /** A sentence that takes back an earlier one. */
  correction: 3,
  /** A question: its answer says more. */
  question: 0,
  /** A few words without a name: they say nothing without what they answer. */
  few: -1,
} as const;
