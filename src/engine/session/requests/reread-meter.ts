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

  const hiddenIn = (state: LogState): typeof known => ({
    rewriteVersion: state.rewriteVersion,
    hidden: state.hiddenResults(),
  });

  return (state, arrived) => {
    const isOther = known.rewriteVersion !== state.rewriteVersion;
    const cameSince = state.appendedMessages >= arrived.length;
    if (isOther && cameSince) known = hiddenIn(state);
    const tokens = takeRereads(arrived, known.hidden, countTokens);
    // What a fold for this request hides, the next ones may read again.
    if (isOther && !cameSince) known = hiddenIn(state);
    return tokens;
  };
}
