import { collectStandIns, liveTags, summaryId } from "../../core/message/effective-view.ts";
import type { Message } from "../../core/message/message.ts";

/**
 * What a condenser did to a log besides hiding messages behind its summary, and blocks beside them, or undefined where it did nothing
 * else: folds made before it, marks and order must stay as they were.
 */
export function onlyHides(
  before: readonly Message[],
  after: readonly Message[],
  condenseId: string,
): string | undefined {
  const others = after.filter((message) => summaryId(message) !== condenseId);
  const standIns = collectStandIns(before);
  const isKept = (message: Message, index: number) => {
    const other = withoutFoldsOf(condenseId, others[index]);
    if (other === undefined) return false;
    if (other.condenseParent === message.condenseParent) return isSame(message, other);
    const { condenseParent: parent, ...rest } = other;
    const { condenseParent: _dead, ...expected } = message;
    return parent === condenseId && liveTags(message, standIns).condenseParent === undefined && isSame(expected, rest);
  };
  if (others.length === before.length && before.every(isKept)) return undefined;
  return "Something else was done to the log: a strategy may only hide messages behind its summary.";
}

/** Without the blocks that it hides in messages that stay. */
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
