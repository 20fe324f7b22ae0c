import { hidingFolds } from "../message/block-folds.ts";
import { collectStandIns, isHidden, isStandIn, visiblePlaces } from "../message/effective-view.ts";
import type { Message } from "../message/message.ts";
import { detectUnits } from "../message/units.ts";
import { findStanding, isStanding, partsOfBlock } from "./find-standing.ts";

/**
 * Shows everything again that binds the agent and that a fold hides: condensers of others may hide it, and so may folds made before something came to
 * bind. Units are shown whole. Returns the same array where there is nothing to show.
 */
export function surfaceStanding(messages: readonly Message[]): readonly Message[] {
  const standing = findStanding(messages);
  const standIns = collectStandIns(messages);
  // The provider reads nothing before its own compaction, so it is no use to show anything there.
  const firstRead = visiblePlaces(messages).findLast((place) => messages[place]?.compaction === "provider") ?? -1;
  const isLost = (logIndex: number): boolean => {
    const message = messages[logIndex];
    if (message === undefined || logIndex < firstRead || !isStanding(standing, logIndex)) return false;
    return (
      isHidden(message, standIns) || hidingFolds(message).some((fold) => covers(fold.blockIndex, logIndex, fold.kind))
    );
  };
  // A clip stays: it was made because there is no room for more.
  const covers = (blockIndex: number, logIndex: number, kind: string): boolean =>
    kind !== "clip" &&
    kind !== "notice" &&
    partsOfBlock(standing, logIndex, blockIndex).some(({ span }) => span === undefined);
  if (![...standing.keys()].some(isLost)) return messages;
  const said = [...messages.keys()].filter((index) => {
    const message = messages[index];
    return message !== undefined && !isStandIn(message);
  });
  const shown = new Set<number>();
  for (const { start, end } of detectUnits(said.flatMap((index) => messages[index] ?? []))) {
    const unit = said.slice(start, end);
    if (unit.some(isLost)) for (const index of unit) shown.add(index);
  }
  return messages.map((message, logIndex) => {
    if (!shown.has(logIndex)) return message;
    const { condenseParent: _, truncationParent: _1, folds = [], ...rest } = message;
    const kept = folds.filter(({ blockIndex, kind }) => !covers(blockIndex, logIndex, kind));
    return kept.length === 0 ? rest : { ...rest, folds: kept };
  });
}
