import { getEffectiveApiHistory } from "../message/effective-view.ts";
import type { Message } from "../message/message.ts";
import { type ViewProblem, validateView } from "../message/validate-view.ts";
import { restoreAllMessages } from "./restore.ts";

/**
 * Why a folded log must not take the place of the one it was made from, or undefined when it may: every original message
 * must still be there, and the view must be as acceptable to a provider as it was.
 */
export function verifyFold(before: readonly Message[], after: readonly Message[]): string | undefined {
  const originals = restoreAllMessages(before);
  const restored = restoreAllMessages(after);
  const isWhole =
    originals.length === restored.length && originals.every((original, index) => isSame(original, restored[index]));
  if (!isWhole) return "Original messages were changed, removed or added: a fold may only hide them.";
  const known = new Set(validateView(getEffectiveApiHistory(before)).map(problemKey));
  const problem = validateView(getEffectiveApiHistory(after)).find((each) => !known.has(problemKey(each)));
  return problem === undefined ? undefined : `Providers would refuse the view. ${problem.reason}`;
}

function isSame(original: Message, restored: Message | undefined): boolean {
  if (original === restored) return true;
  if (restored === undefined) return false;
  const fields = Object.entries(original);
  const isShallowCopy =
    Object.keys(restored).length === fields.length &&
    fields.every(([field, value]) => Reflect.get(restored, field) === value);
  return isShallowCopy || JSON.stringify(original) === JSON.stringify(restored);
}

/** Places move when messages are hidden: a problem is the same when it is about the same call, message or rule. */
function problemKey({ code, toolUseId, messageId }: ViewProblem): string {
  return `${code} ${toolUseId ?? messageId ?? ""}`;
}
