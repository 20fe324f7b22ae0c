import { isStandIn, renderMessage } from "../../core/message/effective-view.ts";
import type { Message } from "../../core/message/message.ts";

/** Where a message of the view comes from; `index` counts the log's messages without stand-ins. */
export type ViewPlace =
  | { readonly type: "original"; readonly index: number }
  /** A message with folds: `shown` has stand-ins at the same block indexes as the originals in `said`. */
  | { readonly type: "folded"; readonly index: number; readonly said: Message; readonly shown: Message }
  | { readonly type: "stand-in"; readonly message: Message };

/** The places of a view's messages in its log; undefined if it is the view of another log. */
export function viewPlaces(log: readonly Message[], view: readonly Message[]): readonly ViewPlace[] | undefined {
  const places: ViewPlace[] = [];
  let index = 0;
  for (const message of log) {
    const isOurs = isStandIn(message);
    const shown = renderMessage(message);
    // A view has the log's own objects, in order, and one rendered object for each message with folds.
    if (shown === view[places.length])
      places.push(isOurs ? { type: "stand-in", message: shown } : placeOf(index, message, shown));
    if (!isOurs) index += 1;
  }
  return places.length === view.length ? places : undefined;
}

function placeOf(index: number, said: Message, shown: Message): ViewPlace {
  return said === shown ? { type: "original", index } : { type: "folded", index, said, shown };
}
