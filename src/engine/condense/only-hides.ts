import { collectStandIns, liveTags, standInsOf, summaryId } from "../../core/message/effective-view.ts";
import { logSegments, segmentFacts } from "../../core/message/log-segments.ts";
import type { Message } from "../../core/message/message.ts";

/**
 * Checks that a condenser only hid messages, and blocks of others, behind its summary: earlier folds, marks and order must be unchanged. Returns an
 * error text; undefined where nothing else was done.
 */
export function onlyHides(
  before: readonly Message[],
  after: readonly Message[],
  condenseId: string,
): string | undefined {
  const others = withoutSummary(after, condenseId);
  const standIns = collectStandIns(before);
  const isUsedBefore = logSegments(before).some((segment) => blockFoldIds(segment).has(condenseId));
  const isKept = (message: Message, index: number) => {
    const same = others[index];
    if (same === message && !isUsedBefore) return true;
    const other = withoutFoldsOf(condenseId, same);
    if (other === undefined) return false;
    if (other.condenseParent === message.condenseParent) return isSame(message, other);
    const { condenseParent: parent, ...rest } = other;
    const { condenseParent: _dead, ...expected } = message;
    return parent === condenseId && liveTags(message, standIns).condenseParent === undefined && isSame(expected, rest);
  };
  if (others.length === before.length && before.every(isKept)) return undefined;
  return "Something else was done to the log: a strategy may only hide messages behind its summary.";
}

const blockFoldIds = segmentFacts(
  (messages): ReadonlySet<string> => new Set(messages.flatMap(({ folds = [] }) => folds.map(({ foldId }) => foldId))),
);

/** The messages without the stand-ins of one fold. */
function withoutSummary(messages: readonly Message[], condenseId: string): readonly Message[] {
  const isOther = (message: Message) => summaryId(message) !== condenseId;
  const parts = logSegments(messages).map((segment) =>
    standInsOf(segment).every(isOther) ? segment.messages : segment.messages.filter(isOther),
  );
  const others: readonly Message[] = [];
  return others.concat(...parts);
}

/** The message without one fold's entries in `folds`. */
function withoutFoldsOf(foldId: string, message: Message | undefined): Message | undefined {
  if (!message?.folds?.some((fold) => fold.foldId === foldId)) return message;
  const { folds, ...rest } = message;
  const others = folds.filter((fold) => fold.foldId !== foldId);
  return others.length === 0 ? rest : { ...rest, folds: others };
}

function isSame(one: object, other: object): boolean {
  if (one === other) return true;
  const fields = Object.keys(one);
  const isShallowCopy =
    Object.keys(other).length === fields.length &&
    fields.every((field) => Object.is(Reflect.get(one, field), Reflect.get(other, field)));
  return isShallowCopy || JSON.stringify(one) === JSON.stringify(other);
}
