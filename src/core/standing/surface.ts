import { hidingFolds } from "../message/block-folds.ts";
import { collectStandIns, isHidden, isStandIn, visiblePlaces } from "../message/effective-view.ts";
import type { Message } from "../message/message.ts";
import { detectUnits } from "../message/units.ts";
import { findStanding, isStanding, partsOfBlock } from "./find-standing.ts";

/**
 * The log with everything shown again that binds the agent and that a fold hides: strategies of others, and folds made before something
 * came to bind, know nothing of it. Units are shown whole. The same array where there is nothing to show.
 */
export function surfaceStanding(messages: readonly Message[]): readonly Message[] {
  const standing = findStanding(messages);
  const standIns = collectStandIns(messages);
  // The provider reads nothing before its own compaction: what would be shown there would not be seen.
  const firstRead = visiblePlaces(messages).findLast((place) => messages[place]?.compaction === "provider") ?? -1;
  const isLost = (logIndex: number): boolean => {
    const message = messages[logIndex];
    if (message === undefined || logIndex < firstRead || !isStanding(standing, logIndex)) return false;
    return (
      isHidden(message, standIns) || hidingFolds(message).some((fold) => covers(fold.blockIndex, logIndex, fold.kind))
    );
  };
  // A clip is deliberate: it is what is left where there is no room.
  const covers = (blockIndex: number, logIndex: number, kind: string): boolean =>
    kind !== "clip" &&
    kind !== "notice" &&
    partsOfBlock(standing, logIndex, blockIndex).some(({ span }) => span === undefined);
  if (![...standing.keys()].some(isLost)) return messages;
  const spoken = [...messages.keys()].filter((index) => {
    const message = messages[index];
    return message !== undefined && !isStandIn(message);
  });
  const shown = new Set<number>();
  for (const { start, end } of detectUnits(spoken.flatMap((index) => messages[index] ?? []))) {
    const unit = spoken.slice(start, end);
    if (unit.some(isLost)) for (const index of unit) shown.add(index);
  }
  return messages.map((message, logIndex) => {
    if (!shown.has(logIndex)) return message;
    const { condenseParent: _, truncationParent: _1, folds = [], ...rest } = message;
    const kept = folds.filter(({ blockIndex, kind }) => !covers(blockIndex, logIndex, kind));
    return kept.length === 0 ? rest : { ...rest, folds: kept };
  });
}
