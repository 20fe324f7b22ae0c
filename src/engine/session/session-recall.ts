/** What reads back what folds hide: a late part, which a session loads when it is first asked for something hidden. */
import { foldCleared, type ProviderClearing } from "../../core/history/provider-clearing.ts";
import type { CountTokens } from "../../core/message/message.ts";
import { createRecallIndex, type RecallIndex } from "../../core/recall/recall-index.ts";
import type { WholeLog } from "./log-state.ts";
import { isSameClearing } from "./provider-clearing.ts";

export { expandId } from "../../core/recall/expand.ts";
export { expandPage } from "../../core/recall/expand-page.ts";
export { recallSessions } from "./recall-sessions.ts";

/** One index for each log that was folded or rewound; one that has only grown is read on. */
export function createSearch(countTokens: CountTokens): (log: WholeLog, cleared: ProviderClearing) => RecallIndex {
  let searched: Searched | undefined;
  return (log, cleared) => {
    const known = searched !== undefined && isSameClearing(searched.cleared, cleared) ? searched : undefined;
    if (known?.log === log) return known.index;
    if (known?.log.rewriteVersion === log.rewriteVersion) {
      known.index.add(foldCleared(log.messages.slice(known.log.messages.length), cleared));
      searched = { log, cleared, index: known.index };
    } else searched = { log, cleared, index: createRecallIndex(foldCleared(log.messages, cleared), { countTokens }) };
    return searched.index;
  };
}

interface Searched {
  readonly log: WholeLog;
  readonly cleared: ProviderClearing;
  readonly index: RecallIndex;
}
