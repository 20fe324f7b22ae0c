import type { Message } from "../message/message.ts";
import { serialize } from "../tokens/serialize.ts";

/** The messages of the original view that the condensed view does not show, compared by identity, else by id, else by their JSON. */
export function hiddenMessages(original: readonly Message[], condensed: readonly Message[]): readonly Message[] {
  const shown = new Set(condensed);
  const missing = original.filter((message) => !shown.has(message));
  if (missing.length === 0) return missing;
  const before = new Set(original);
  const added = condensed.filter((message) => !before.has(message));
  const addedIds = new Set(added.flatMap(({ id }) => (id === undefined ? [] : [id])));
  const addedCopies = countCopies(added.filter(({ id }) => id === undefined));
  return missing.filter((message) => {
    if (message.id !== undefined) return !addedIds.has(message.id);
    return addedCopies.size === 0 || !takeCopy(addedCopies, serialize(message));
  });
}

function countCopies(messages: readonly Message[]): Map<string, number> {
  const copies = new Map<string, number>();
  for (const message of messages) {
    const json = serialize(message);
    copies.set(json, (copies.get(json) ?? 0) + 1);
  }
  return copies;
}

/** Uses up one copy, if there is one: of two equal messages, one may be hidden. */
function takeCopy(copies: Map<string, number>, json: string): boolean {
  const left = copies.get(json) ?? 0;
  if (left > 0) copies.set(json, left - 1);
  return left > 0;
}
