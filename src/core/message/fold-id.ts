import type { Message } from "./message.ts";

export type FoldKind = "condense" | "truncate" | "clear" | "dedupe" | "clip" | "resolve" | "notice";

/**
 * A fold id that no message of the log uses. It follows from the task and the log alone, so that the same log folded in
 * the same way gives the same bytes.
 */
export function newFoldId(kind: FoldKind, taskId: string, messages: readonly Message[]): string {
  for (let attempt = 0; ; attempt++) {
    const id = `${kind}-${shortHash(`${taskId}\n${messages.length}\n${messages.at(-1)?.id ?? ""}\n${attempt}`)}`;
    if (!messages.some((message) => uses(message, id))) return id;
  }
}

/** A stand-in takes its fold's id as its own, so message ids are taken too. */
function uses(message: Message, foldId: string): boolean {
  return (
    message.id === foldId ||
    message.condenseId === foldId ||
    message.condenseParent === foldId ||
    message.truncationId === foldId ||
    message.truncationParent === foldId ||
    (message.folds?.some((fold) => fold.foldId === foldId) ?? false)
  );
}

/** 32-bit FNV-1a over UTF-16 units, in base 36: short enough for a model to repeat without a mistake. */
export function shortHash(text: string): string {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  return (value >>> 0).toString(36).padStart(7, "0");
}
