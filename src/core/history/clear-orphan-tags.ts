import { collectStandIns } from "../message/effective-view.ts";
import type { Message } from "../message/message.ts";
import { withoutField } from "./clean-up.ts";

/**
 * Clears tags whose summary or marker is not in the log; the same array where there are none. Contents are not looked at:
 * a history with parts that we could not send can still be rewound.
 */
export function clearOrphanTags(messages: readonly Message[]): readonly Message[] {
  const { condenseIds, truncationIds } = collectStandIns(messages);
  const isOrphan = (parent: string | undefined, ids: ReadonlySet<string>) => parent !== undefined && !ids.has(parent);
  const cleared = messages.map((message) => {
    const shown = isOrphan(message.condenseParent, condenseIds) ? withoutField(message, "condenseParent") : message;
    return isOrphan(message.truncationParent, truncationIds) ? withoutField(shown, "truncationParent") : shown;
  });
  return cleared.every((message, index) => message === messages[index]) ? messages : cleared;
}
