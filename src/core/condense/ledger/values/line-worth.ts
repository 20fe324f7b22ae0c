/**
 * What a line is worth for what it is, beside the identifiers that it names. The unit is one identifier that the agent will
 * surely use again.
 */
export const LINE_WORTH = {
  /** What the user asked for first, and later. */
  goal: 2,
  request: 1,
  /** What must, must not or may only be done: as a person typed it, and in a text that was pasted. */
  constraint: 1,
  pastedConstraint: 0.15,
  /** The steps of the plan as it was stated last, and single steps that were changed lately. */
  plan: 1.5,
  planStep: 0.4,
  /** What a failure that nothing settled said, and the call that failed. */
  error: 1.5,
  /** What the agent said last, and sentences in which it decided something. */
  lastWords: 0.4,
  decision: 0.15,
  /** What a model summarised earlier. */
  summary: 0.5,
  /** A command and the line in which it ended, at first; less with age. */
  command: 0.15,
  outcome: 0.1,
  /** All lines of code together, as a share of what all identifiers are worth together. */
  code: 1.5,
  /** Anything: what fills the room when nothing better is left. */
  anything: 0.002,
} as const;
