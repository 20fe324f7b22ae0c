/** What reads back what folds hide: a late part, which a session loads when it is first asked for something hidden. */
import type { CountTokens } from "../../core/message/message.ts";
import { createRecallIndex, type RecallIndex } from "../../core/recall/recall-index.ts";
import type { WholeLog } from "./log-state.ts";

export { expandId } from "../../core/recall/expand.ts";
export { expandPage } from "../../core/recall/expand-page.ts";
export { recallSessions } from "./recall-sessions.ts";

/** One index for each log that was folded or rewound; one that has only grown is read on. */
export function createSearch(countTokens: CountTokens): (log: WholeLog) => RecallIndex {
  let searched: { readonly log: WholeLog; readonly index: RecallIndex } | undefined;
  return (log) => {
    if (searched?.log === log) return searched.index;
    if (searched?.log.rewriteVersion === log.rewriteVersion) {
      searched.index.add(log.messages.slice(searched.log.messages.length));
      searched = { log, index: searched.index };
    } else searched = { log, index: createRecallIndex(log.messages, { countTokens }) };
    return searched.index;
  };
}
