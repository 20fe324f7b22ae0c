import { foldBlocks } from "../../message/block-folds.ts";
import { newFoldId } from "../../message/fold-id.ts";
import { findMedia, type MediaGroup, type MediaKind } from "./find-media.ts";
import type { Shed, ShedRun } from "./shed-run.ts";
import { measureViewSize, readEntries, type SizedEntry } from "./view-size.ts";

const KINDS: readonly MediaKind[] = ["clear", "clip"];

/** Hides media in messages of one standing, oldest first, until the view is at the goal or none are left. */
export function foldMedia(shed: Shed, standing: SizedEntry["standing"], run: ShedRun): Shed {
  const { measure, countTokens, taskId } = run;
  const { messages } = shed;
  const entries = readEntries(messages);
  const foldIds = { clear: newFoldId("clear", taskId, messages), clip: newFoldId("clip", taskId, messages) };
  let excess = measureViewSize(entries.map(({ shown }) => shown))[measure] - run.goal;
  const chosen: MediaGroup[] = [];
  for (const entry of entries) {
    if (entry.standing !== standing || excess <= 0) continue;
    for (const group of findMedia(entry, { foldIds, countTokens })) {
      if (excess <= 0 || group[measure] <= 0) continue;
      chosen.push(group);
      excess -= group[measure];
    }
  }
  return KINDS.reduce((folded: Shed, kind): Shed => {
    const requests = chosen.filter((group) => group.kind === kind).flatMap((group) => group.requests);
    if (requests.length === 0) return folded;
    const foldId = foldIds[kind];
    return {
      messages: foldBlocks(folded.messages, { foldId, kind }, requests),
      foldIds: [...folded.foldIds, foldId],
    };
  }, shed);
}
