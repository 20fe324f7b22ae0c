import type { CountTokens, Message } from "../../../core/message/message.ts";
import { type HiddenResults, takeRereads } from "../../../core/statement/rereads.ts";
import type { LogState } from "../log-state.ts";

/** Tells how much of what arrived for a request an agent had before, and read again because a fold hides it. In our tokens. */
export type RereadMeter = (state: LogState, arrived: readonly Message[]) => number;

export function createRereadMeter(countTokens: CountTokens): RereadMeter {
  let known: { readonly rewriteVersion: number; readonly hidden: HiddenResults } = {
    rewriteVersion: 0,
    hidden: new Set(),
  };

  /** What is hidden before the newest messages: where the session was opened since the rewrite, some of it was read again already. */
  function hiddenBefore(state: LogState, newestMessages: number): typeof known {
    const hidden = state.hiddenResults();
    const { view, appendedMessages, rewriteVersion } = state;
    const appended = view.slice(view.length - appendedMessages, view.length - newestMessages);
    takeRereads(appended, hidden, countTokens);
    return { rewriteVersion, hidden };
  }

  return (state, arrived) => {
    const isOther = known.rewriteVersion !== state.rewriteVersion;
    const cameSince = state.appendedMessages >= arrived.length;
    if (isOther && cameSince) known = hiddenBefore(state, arrived.length);
    const tokens = takeRereads(arrived, known.hidden, countTokens);
    // What a fold for this request hides, the next ones may read again.
    if (isOther && !cameSince) known = hiddenBefore(state, 0);
    return tokens;
  };
}
