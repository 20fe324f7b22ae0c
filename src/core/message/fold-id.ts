import type { Message } from "./message.ts";

export type FoldKind = "condense" | "truncate" | "clear" | "dedupe" | "clip";

/**
 * A fold id that no message of the log uses. It follows from the task and the log alone, so that the same log folded in
 * the same way gives the same bytes.
 */
export function newFoldId(kind: FoldKind, taskId: string, messages: readonly Message[]): string {
  const used = usedFoldIds(messages);
  for (let attempt = 0; ; attempt++) {
    const id = `${kind}-${hash(`${taskId}\n${messages.length}\n${messages.at(-1)?.id ?? ""}\n${attempt}`)}`;
    if (!used.has(id)) return id;
  }
}

function usedFoldIds(messages: readonly Message[]): ReadonlySet<string> {
  const used = new Set<string>();
  for (const { id, condenseId, condenseParent, truncationId, truncationParent, folds } of messages) {
    // A stand-in takes its fold's id as its own, so message ids are taken too.
    for (const each of [id, condenseId, condenseParent, truncationId, truncationParent]) {
      if (each !== undefined) used.add(each);
    }
    for (const fold of folds ?? []) used.add(fold.foldId);
  }
  return used;
}

/** 32-bit FNV-1a over UTF-16 units, in base 36: short enough for a model to repeat without a mistake. */
function hash(text: string): string {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  return (value >>> 0).toString(36).padStart(7, "0");
}
