import { isStandIn, renderMessage } from "../../core/message/effective-view.ts";
import type { Message } from "../../core/message/message.ts";

/** Where a message of the view comes from; `index` counts the messages that were said. */
export type ViewPlace =
  | { readonly type: "original"; readonly index: number }
  /** Some of its blocks are shown as stand-ins: `shown` has them, at the same places as the originals in `said`. */
  | { readonly type: "folded"; readonly index: number; readonly said: Message; readonly shown: Message }
  | { readonly type: "stand-in"; readonly message: Message };

/** The view of a log, message by message. Undefined where it is the view of another log. */
export function viewPlaces(log: readonly Message[], view: readonly Message[]): readonly ViewPlace[] | undefined {
  const places: ViewPlace[] = [];
  let index = 0;
  for (const said of log) {
    const isOurs = isStandIn(said);
    const shown = renderMessage(said);
    // A view has the log's own objects, in order, and one rendered object for each message with folds.
    if (shown === view[places.length])
      places.push(isOurs ? { type: "stand-in", message: shown } : placeOf(index, said, shown));
    if (!isOurs) index += 1;
  }
  return places.length === view.length ? places : undefined;
}

function placeOf(index: number, said: Message, shown: Message): ViewPlace {
  return said === shown ? { type: "original", index } : { type: "folded", index, said, shown };
}
