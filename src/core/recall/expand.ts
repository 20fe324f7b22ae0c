import { assert } from "../assert.ts";
import { findByNumber } from "../condense/ledger/message-number.ts";
import { PalimpsestError } from "../errors.ts";
import { withoutField } from "../history/clean-up.ts";
import { collectStandIns, liveTags, markerId, summaryId } from "../message/effective-view.ts";
import type { Message } from "../message/message.ts";

/**
 * The messages that an id names, in the order of the log, as they were before any fold.
 *
 * The id of a summary or marker gives the messages that it stands for; where one of these is a summary itself, the messages that that one stands
 * for. The id of a block fold gives the messages with such blocks, and only these blocks of them. Any other id gives its message: `#3` the one at
 * that index, `m12` the one with that number in ledgers. Throws "unknown-fold" for an id that the log does not have.
 */
export function expandId(messages: readonly Message[], id: string): readonly Message[] {
  assert(typeof id === "string", "id", id, "the id of a fold or a message");
  const standIns = collectStandIns(messages);
  if (standIns.condenseIds.has(id) || standIns.truncationIds.has(id)) return hiddenBy(messages, id).map(asSaid);
  const folded = messages.flatMap((message) => foldedBlocks(message, id));
  if (folded.length > 0) return folded;
  const named = messages.filter((message) => message.id === id);
  if (named.length > 0) return named.map(asSaid);
  const placed = /^#\d+$/.test(id) ? messages[Number(id.slice(1))] : findByNumber(messages, id);
  if (placed !== undefined) return [asSaid(placed)];
  throw new PalimpsestError(
    "unknown-fold",
    `No fold and no message has the id ${JSON.stringify(id.slice(0, 100))}. Hits and stand-ins name those that exist.`,
  );
}

/** The said messages behind a stand-in, through any number of stand-ins. */
function hiddenBy(messages: readonly Message[], id: string): readonly Message[] {
  const childrenOf = groupByFold(messages);
  const shown = new Set<Message>();
  const folds = new Set([id]);
  // A set may grow while it is walked, and a damaged log whose folds hide each other still ends.
  for (const fold of folds) {
    for (const message of childrenOf.get(fold) ?? []) {
      const inner = summaryId(message) ?? markerId(message);
      if (inner === undefined || !childrenOf.has(inner)) shown.add(message);
      else folds.add(inner);
    }
  }
  return messages.filter((message) => shown.has(message));
}

function groupByFold(messages: readonly Message[]): ReadonlyMap<string, readonly Message[]> {
  const standIns = collectStandIns(messages);
  const groups = new Map<string, Message[]>();
  for (const message of messages) {
    const { condenseParent, truncationParent } = liveTags(message, standIns);
    for (const parent of new Set([condenseParent, truncationParent])) {
      if (parent === undefined) continue;
      const group = groups.get(parent);
      if (group === undefined) groups.set(parent, [message]);
      else group.push(message);
    }
  }
  return groups;
}

function foldedBlocks(message: Message, foldId: string): readonly Message[] {
  const indexes = new Set(message.folds?.flatMap((fold) => (fold.foldId === foldId ? [fold.blockIndex] : [])));
  if (indexes.size === 0) return [];
  const { content } = message;
  const hidden = typeof content === "string" ? content : content.filter((_, index) => indexes.has(index));
  return [{ ...asSaid(message), content: hidden }];
}

/** The message without the fields of folds. */
function asSaid(message: Message): Message {
  const fields = ["condenseParent", "truncationParent", "folds"] as const;
  return fields.reduce((said, field) => (said[field] === undefined ? said : withoutField(said, field)), message);
}
