import { checkMessages } from "../message/check-messages.ts";
import { effectiveView, isStandIn, markerId, standInsOf, summaryId } from "../message/effective-view.ts";
import { frozenLog, logSegments } from "../message/log-segments.ts";
import type { Message } from "../message/message.ts";
import { detectPairs } from "../message/tool-pairs.ts";
import { detectUnits } from "../message/units.ts";
import { type ViewProblem, validateView } from "../message/validate-view.ts";

/**
 * Why a folded log must not take the place of the one it was made from, or undefined when it may: every original message
 * and the text of every older stand-in must still be there, and the view must be as acceptable to a provider as it was.
 */
export function verifyFold(logBefore: readonly Message[], logAfter: readonly Message[]): string | undefined {
  checkMessages(logBefore);
  checkMessages(logAfter);
  const [before, after] = [frozenLog(logBefore), frozenLog(logAfter)];
  if (!haveSameOriginals(before, after)) {
    return "Original messages were changed, removed or added: a fold may only hide them.";
  }
  if (!keepsStandIns(before, after))
    return "An older summary or marker was rewritten: a fold, once shown, stays as it is.";
  const [viewBefore, viewAfter] = [effectiveView(before), effectiveView(after)];
  const open = new Set(openCalls(viewAfter));
  const hiddenCall = runningCalls(viewBefore).find((id) => !open.has(id));
  if (hiddenCall !== undefined)
    return `Tool call ${JSON.stringify(hiddenCall)} is still running: it must stay visible.`;
  const problem = newProblem(validateView(viewBefore), validateView(viewAfter));
  return problem === undefined ? undefined : `Providers would refuse the view. ${problem.reason}`;
}

/** Whether two logs hold the same original messages, whatever their folds; compared without copying either, as they may be long. */
function haveSameOriginals(before: readonly Message[], after: readonly Message[]): boolean {
  let place = 0;
  for (const original of before) {
    // The same object on both sides is skipped on both, a stand-in or not.
    if (original === after[place]) {
      place += 1;
      continue;
    }
    if (isStandIn(original)) continue;
    while (isStandInAt(after, place)) place += 1;
    const restored = after[place];
    if (restored === undefined || !isSameOriginal(original, restored)) return false;
    place += 1;
  }
  while (isStandInAt(after, place)) place += 1;
  return place === after.length;
}

function isStandInAt(messages: readonly Message[], index: number): boolean {
  const message = messages[index];
  return message !== undefined && isStandIn(message);
}

function isSameOriginal(before: Message, after: Message): boolean {
  if (before === after) return true;
  const [said, copy] = [withoutFoldFields(before), withoutFoldFields(after)];
  const fields = Object.entries(said);
  const isShallowCopy =
    Object.keys(copy).length === fields.length && fields.every(([field, value]) => Reflect.get(copy, field) === value);
  return isShallowCopy || isSameJson(said, copy);
}

function withoutFoldFields({ condenseParent: _, truncationParent: _1, folds: _2, ...rest }: Message): object {
  return rest;
}

function isSameJson(one: unknown, other: unknown): boolean {
  try {
    return one === other || JSON.stringify(one) === JSON.stringify(other);
  } catch {
    // What JSON cannot hold can only be compared by identity.
    return false;
  }
}

/** Whether no stand-in was rewritten, as its text may be in a provider's cache. It may be removed, or be hidden itself. */
function keepsStandIns(before: readonly Message[], after: readonly Message[]): boolean {
  const kept = logSegments(after).flatMap(standInsOf);
  const keptObjects = new Set(kept);
  return logSegments(before)
    .flatMap(standInsOf)
    .every((standIn) => {
      if (keptObjects.has(standIn)) return true;
      const copies = kept.filter((candidate) => isSameStandIn(candidate, standIn));
      return copies.length === 0 || copies.some(({ content }) => isSameJson(content, standIn.content));
    });
}

/** Roles are compared too: a snapshot and its acknowledgement share their id. */
function isSameStandIn(one: Message, other: Message): boolean {
  return one.role === other.role && summaryId(one) === summaryId(other) && markerId(one) === markerId(other);
}

/** The ids of calls from `start` on that have no result. */
function openCalls(view: readonly Message[], start = 0): readonly string[] {
  const pairs = detectPairs(view).filter(({ call, result }) => result === undefined && call.messageIndex >= start);
  return pairs.map((pair) => pair.toolUseId);
}

/** Open calls of the current turn: their results are still to come. Older ones were interrupted. */
function runningCalls(view: readonly Message[]): readonly string[] {
  return openCalls(view, detectUnits(view).at(-1)?.start);
}

/** The first problem that the view did not have before, if there is one. No problem of a call that already had one is new. */
function newProblem(before: readonly ViewProblem[], after: readonly ViewProblem[]): ViewProblem | undefined {
  const brokenCalls = new Set(before.map((problem) => problem.toolUseId));
  const knownCounts = new Map<string, number>();
  for (const key of before.map(problemKey)) knownCounts.set(key, (knownCounts.get(key) ?? 0) + 1);
  return after.find((problem) => {
    if (problem.toolUseId !== undefined) return !brokenCalls.has(problem.toolUseId);
    const left = knownCounts.get(problemKey(problem)) ?? 0;
    knownCounts.set(problemKey(problem), left - 1);
    return left <= 0;
  });
}

/** Identifies a problem by its rule and message: indexes in the view change when messages are hidden. */
function problemKey({ code, messageId }: ViewProblem): string {
  return `${code} ${messageId ?? ""}`;
}
