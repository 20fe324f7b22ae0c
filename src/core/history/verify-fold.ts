import { getEffectiveApiHistory, isStandIn, markerId, summaryId } from "../message/effective-view.ts";
import type { Message } from "../message/message.ts";
import { detectPairs } from "../message/tool-pairs.ts";
import { detectUnits } from "../message/units.ts";
import { type ViewProblem, validateView } from "../message/validate-view.ts";
import { cleanupAfterTruncation, withoutField } from "./clean-up.ts";
import { restoreAllMessages } from "./restore.ts";

/**
 * Why a folded log must not take the place of the one it was made from, or undefined when it may: every original message
 * and the text of every older stand-in must still be there, and the view must be as acceptable to a provider as it was.
 */
export function verifyFold(before: readonly Message[], after: readonly Message[]): string | undefined {
  if (!areSame(unfold(before), unfold(after))) {
    return "Original messages were changed, removed or added: a fold may only hide them.";
  }
  if (!keepsStandIns(before, after))
    return "An older summary or marker was rewritten: a fold, once shown, stays as it is.";
  const [viewBefore, viewAfter] = [getEffectiveApiHistory(before), getEffectiveApiHistory(after)];
  const open = new Set(openCalls(viewAfter));
  const hiddenCall = runningCalls(viewBefore).find((id) => !open.has(id));
  if (hiddenCall !== undefined)
    return `Tool call ${JSON.stringify(hiddenCall)} is still running: it must stay visible.`;
  const problem = newProblem(validateView(viewBefore), validateView(viewAfter));
  return problem === undefined ? undefined : `Providers would refuse the view. ${problem.reason}`;
}

/** What was said, without any trace of folds: tags that name nothing say nothing. */
function unfold(messages: readonly Message[]): readonly Message[] {
  return cleanupAfterTruncation(restoreAllMessages(messages)).map((message) =>
    message.folds === undefined ? message : withoutField(message, "folds"),
  );
}

function areSame(originals: readonly Message[], restored: readonly Message[]): boolean {
  return originals.length === restored.length && originals.every((each, index) => isSame(each, restored[index]));
}

function isSame(original: Message, restored: Message | undefined): boolean {
  if (original === restored) return true;
  if (restored === undefined) return false;
  const fields = Object.entries(original);
  const isShallowCopy =
    Object.keys(restored).length === fields.length &&
    fields.every(([field, value]) => Reflect.get(restored, field) === value);
  return isShallowCopy || isSameText(original, restored);
}

function isSameText(one: unknown, other: unknown): boolean {
  try {
    return one === other || JSON.stringify(one) === JSON.stringify(other);
  } catch {
    // What JSON cannot hold can only be compared by identity.
    return false;
  }
}

/** An older stand-in may go, or be hidden itself; but what it says may be in a provider's cache already. */
function keepsStandIns(before: readonly Message[], after: readonly Message[]): boolean {
  const kept = after.filter(isStandIn);
  return before.filter(isStandIn).every((standIn) => {
    const copies = kept.filter((each) => isSameStandIn(each, standIn));
    return copies.length === 0 || copies.some(({ content }) => isSameText(content, standIn.content));
  });
}

/** A snapshot and its acknowledgement share their id. */
function isSameStandIn(one: Message, other: Message): boolean {
  return one.role === other.role && summaryId(one) === summaryId(other) && markerId(one) === markerId(other);
}

function openCalls(view: readonly Message[], start = 0): readonly string[] {
  const pairs = detectPairs(view).filter(({ call, result }) => result === undefined && call.messageIndex >= start);
  return pairs.map((pair) => pair.toolUseId);
}

/** Open calls of the current turn: their results are still to come. Older ones were interrupted. */
function runningCalls(view: readonly Message[]): readonly string[] {
  return openCalls(view, detectUnits(view).at(-1)?.start);
}

/** The first problem that the view did not have before. Whatever is wrong about a call that was broken already is not new. */
function newProblem(before: readonly ViewProblem[], after: readonly ViewProblem[]): ViewProblem | undefined {
  const brokenCalls = new Set(before.map((problem) => problem.toolUseId));
  const known = new Map<string, number>();
  for (const key of before.map(problemKey)) known.set(key, (known.get(key) ?? 0) + 1);
  return after.find((problem) => {
    if (problem.toolUseId !== undefined) return !brokenCalls.has(problem.toolUseId);
    const left = known.get(problemKey(problem)) ?? 0;
    known.set(problemKey(problem), left - 1);
    return left <= 0;
  });
}

/** Places move when messages are hidden: a problem is the same when it is about the same message, or the same rule. */
function problemKey({ code, messageId }: ViewProblem): string {
  return `${code} ${messageId ?? ""}`;
}
