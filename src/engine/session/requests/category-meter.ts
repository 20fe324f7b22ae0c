import type { CountTokens, Message } from "../../../core/message/message.ts";
import { countCategories } from "../../../core/statement/count-categories.ts";
import type { TokenCategory } from "../../../core/statement/request-record.ts";
import type { LogState } from "../log-state.ts";

/** What the views of one session consist of, in our tokens. Of a view that has only grown, what is new is looked at. */
export type CategoryMeter = (state: LogState) => ReadonlyMap<TokenCategory, number>;

export function createCategoryMeter(countTokens: CountTokens): CategoryMeter {
  let known: { readonly rewriteVersion: number; readonly end: number } = { rewriteVersion: -1, end: 0 };
  let totals = new Map<TokenCategory, number>();
  return ({ view, rewriteVersion }) => {
    if (known.rewriteVersion !== rewriteVersion || known.end > view.length) {
      known = { rewriteVersion, end: 0 };
      totals = new Map();
    }
    const added: readonly Message[] = view.slice(known.end);
    for (const message of added) {
      for (const [category, tokens] of countCategories(message, countTokens)) {
        totals.set(category, (totals.get(category) ?? 0) + tokens);
      }
    }
    known = { rewriteVersion, end: view.length };
    return totals;
  };
}
