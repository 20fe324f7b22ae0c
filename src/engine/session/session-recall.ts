/** Search and expansion of hidden content: a late part, which a session loads when it first needs it. */
import { foldCleared, type ProviderClearing } from "../../core/history/provider-clearing.ts";
import type { CountTokens } from "../../core/message/message.ts";
import { createRecallIndex, type RecallIndex } from "../../core/recall/recall-index.ts";
import type { WholeLog } from "./log-state.ts";
import { isSameClearing } from "./provider-clearing.ts";

export { expandId } from "../../core/recall/expand.ts";
export { expandPage } from "../../core/recall/expand-page.ts";
export { recallSessions } from "./recall-sessions.ts";

/** Returns a function that indexes a log's hidden content. The index is kept, extended after appends, and built anew after a rewrite. */
export function createSearch(countTokens: CountTokens): (log: WholeLog, cleared: ProviderClearing) => RecallIndex {
  let searched: Searched | undefined;
  return (log, cleared) => {
    const last = searched !== undefined && isSameClearing(searched.cleared, cleared) ? searched : undefined;
    if (last?.log === log) return last.index;
    if (last?.log.rewriteVersion === log.rewriteVersion) {
      last.index.add(foldCleared(log.messages.slice(last.log.messages.length), cleared));
      searched = { log, cleared, index: last.index };
    } else searched = { log, cleared, index: createRecallIndex(foldCleared(log.messages, cleared), { countTokens }) };
    return searched.index;
  };
}

interface Searched {
  readonly log: WholeLog;
  readonly cleared: ProviderClearing;
  readonly index: RecallIndex;
}
