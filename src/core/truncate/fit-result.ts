import type { Message } from "../message/message.ts";

/** What came of fitting a log into a budget. */
export interface FitResult {
  /**
   * `unchanged`: it fitted already, and `messages` is the same array. `folded`: it fits now. `cannot-fit`: even with all that
   * may be hidden gone, the view is over the budget, and `messages` is the smallest that was reached.
   */
  readonly type: "unchanged" | "folded" | "cannot-fit";
  readonly messages: readonly Message[];
  /** The true size of the view of `messages`. */
  readonly tokens: number;
  /** The folds that were made, in order. */
  readonly foldIds: readonly string[];
  /** Messages that were hidden whole. */
  readonly messagesHidden: number;
}

/** The log on its way to fitting. */
export type Folded = Omit<FitResult, "type">;
