import type { CountTokens, Message } from "../../../core/message/message.ts";
import { countCategories } from "../../../core/statement/count-categories.ts";
import type { TokenCategory } from "../../../core/statement/request-record.ts";
import type { Steps } from "../../../core/steps.ts";
import type { LogState } from "../log-state.ts";

/** Counts the tokens of one session's views by category. In a view that has only grown, only the new messages are counted. */
export interface CategoryMeter {
  categoriesOf(state: LogState): ReadonlyMap<TokenCategory, number>;
  /** Counts the new messages of a long view in steps, so that `categoriesOf` has few left to count. */
  lookAhead(state: LogState): Steps<void>;
}

/** How many messages are counted in one step: about a millisecond of work. */
const STEP_MESSAGES = 1_024;

export function createCategoryMeter(countTokens: CountTokens): CategoryMeter {
  let known: { readonly rewriteVersion: number; readonly end: number } = { rewriteVersion: -1, end: 0 };
  let totals = new Map<TokenCategory, number>();

  /** The index of the first message that is not counted yet: 0 where the view is not the one that was counted, grown. */
  function startIn({ view, rewriteVersion }: LogState): number {
    if (known.rewriteVersion !== rewriteVersion || known.end > view.length) {
      known = { rewriteVersion, end: 0 };
      totals = new Map();
    }
    return known.end;
  }

  function countUpTo({ view, rewriteVersion }: LogState, end: number): void {
    for (let index = known.end; index < end; index++) addMessage(view[index]);
    known = { rewriteVersion, end };
  }

  function addMessage(message: Message | undefined): void {
    if (message === undefined) return;
    for (const [category, tokens] of countCategories(message, countTokens)) {
      totals.set(category, (totals.get(category) ?? 0) + tokens);
    }
  }

  return {
    categoriesOf: (state) => {
      startIn(state);
      countUpTo(state, state.view.length);
      return totals;
    },
    *lookAhead(state) {
      while (state.view.length - startIn(state) > STEP_MESSAGES) {
        countUpTo(state, known.end + STEP_MESSAGES);
        yield;
      }
    },
  };
}
