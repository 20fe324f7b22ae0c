import { logSegments, segmentFacts } from "./log-segments.ts";
import type { BlockFoldKind, Message } from "./message.ts";

export type FoldKind = "condense" | "truncate" | BlockFoldKind;

/**
 * A fold id that no message of the log uses. It depends on the task and the log alone, so that the same log folded in
 * the same way gives the same bytes.
 */
export function newFoldId(kind: FoldKind, taskId: string, messages: readonly Message[]): string {
  for (let attempt = 0; ; attempt++) {
    const id = `${kind}-${shortHash(`${taskId}\n${messages.length}\n${messages.at(-1)?.id ?? ""}\n${attempt}`)}`;
    if (!logSegments(messages).some((segment) => takenIds(segment).has(id))) return id;
  }
}

const LIKE_FOLD_ID = /^(?:condense|truncate|clear|dedupe|clip|resolve|notice)-/;

/** The ids in a segment that a new fold may not have. A stand-in's own id is that of its fold, so message ids are taken too. */
const takenIds = segmentFacts((messages): ReadonlySet<string> => {
  const taken = new Set<string>();
  for (const { id, condenseId, condenseParent, truncationId, truncationParent, folds = [] } of messages) {
    const named = [
      id,
      condenseId,
      condenseParent,
      truncationId,
      truncationParent,
      ...folds.map(({ foldId }) => foldId),
    ];
    for (const name of named) if (name !== undefined && LIKE_FOLD_ID.test(name)) taken.add(name);
  }
  return taken;
});

/** 32-bit FNV-1a over UTF-16 units, in base 36: short enough for a model to repeat without a mistake. */
export function shortHash(text: string): string {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  return (value >>> 0).toString(36).padStart(7, "0");
}
