import type { Message } from "../message/message.ts";

/** What came of fitting a log into a budget; `tokens` is always the true size of the view of `messages`. */
export type FitResult =
  | { readonly type: "unchanged"; readonly messages: readonly Message[]; readonly tokens: number }
  | ({ readonly type: "folded" } & Folded)
  /** Even with all that may be hidden gone, the view is over the budget; `messages` is the smallest that was reached. */
  | ({ readonly type: "cannot-fit" } & Folded);

export interface Folded {
  readonly messages: readonly Message[];
  readonly tokens: number;
  readonly foldIds: readonly string[];
  /** Messages hidden whole. */
  readonly messagesRemoved: number;
}
