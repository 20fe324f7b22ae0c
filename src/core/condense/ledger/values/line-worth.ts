/**
 * The worth of lines by their kind, apart from the identifiers in them. The unit is the worth of an identifier that the agent will surely
 * use again.
 */
export const LINE_WORTH = {
  /** Lines of the user's first request, and of later ones. */
  goal: 2,
  request: 1,
  /** Lines that say what must, must not or may only be done: typed by a person, and in pasted text. */
  constraint: 1,
  pastedConstraint: 0.15,
  /** The newest plan, and recent changes of single steps. */
  plan: 1.5,
  planStep: 0.4,
  /** Error lines of an unsettled failure, and the call that failed. */
  error: 1.5,
  /** The agent's last texts, and lines in which it decided something. */
  lastWords: 0.4,
  decision: 0.15,
  /** Earlier summaries of a model. */
  summary: 0.5,
  /** A new command, and the last line of its output; less with age. */
  command: 0.15,
  outcome: 0.1,
  /** All lines of code together, as a share of the worth of all identifiers together. */
  code: 1.5,
  /** Any line: fills the room when nothing better is left. */
  anything: 0.002,
} as const;

/** The factor by which worth falls with age, in replies: a half at `halfAge`. */
export function decay(age: number, halfAge: number): number {
  return halfAge / (halfAge + age);
}
