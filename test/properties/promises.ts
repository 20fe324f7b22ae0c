/** What the engine promises about a log and its view, as checks that name what is broken. */
import { isDeepStrictEqual } from "node:util";
import { listFolds } from "../../src/core/history/list-folds.ts";
import { restoreAllMessages, restoreMessages } from "../../src/core/history/restore.ts";
import { effectiveView } from "../../src/core/message/effective-view.ts";
import type { Block, Message } from "../../src/core/message/message.ts";
import { isToolResult } from "../../src/core/message/tool-pairs.ts";
import { type ViewProblem, validateView } from "../../src/core/message/validate-view.ts";
import { countContentTokens } from "../../src/core/tokens/count-content.ts";
import { countMessagesTokens } from "../../src/core/tokens/count-messages.ts";
import { countTextTokens } from "../../src/core/tokens/o200k/count-text-tokens.ts";
import { measureView } from "../../src/core/truncate/measure-view.ts";
import type { Asked } from "../support/handlers.ts";

/** One sentence for each promise that is broken. */
export type Breaches = readonly string[];

/** Lossless and valid: all that was said is still there, and no provider has a new reason to refuse the view. */
export function logBreaches(log: readonly Message[], original: readonly Message[]): Breaches {
  return [
    ...(isDeepStrictEqual(restoreAllMessages(log), original) ? [] : ["lossless: the log is not what was appended"]),
    ...newProblems(effectiveView(log), original).map((problem) => `valid: ${problem.code}: ${problem.reason}`),
  ];
}

export function newProblems(view: readonly Message[], original: readonly Message[]): readonly ViewProblem[] {
  const known = new Set(validateView(original).map(problemKey));
  return validateView(view).filter((problem) => !known.has(problemKey(problem)));
}

function problemKey({ code, toolUseId, messageId }: ViewProblem): string {
  return `${code} ${toolUseId ?? messageId ?? ""}`;
}

/** Restores fold after fold, in the order of the picks, and holds every log on the way against the original. */
export function restoreBreaches(
  log: readonly Message[],
  original: readonly Message[],
  picks: readonly number[],
): Breaches {
  const breaches: string[] = [];
  let restored = log;
  for (let step = 0; ; step++) {
    const folds = listFolds(restored);
    const fold = folds[(picks[step % picks.length] ?? 0) % Math.max(1, folds.length)];
    if (fold === undefined) break;
    restored = restoreMessages(restored, fold.foldId);
    breaches.push(...newProblems(effectiveView(restored), original).map(({ reason }) => `restore: ${reason}`));
  }
  const isSame = JSON.stringify(restored) === JSON.stringify(original);
  return isSame ? breaches : [...breaches, "lossless: restoring fold after fold does not give the original bytes"];
}

/** Bounded: the request and its reply fit the window of the model that was asked. */
export function requestBreaches(asked: readonly Asked[], contextWindow: number): Breaches {
  return asked.flatMap(({ systemPrompt, messages, call }) => {
    const promptTokens = countTextTokens(systemPrompt) + countMessagesTokens(messages);
    const tokens = promptTokens + (call?.maxOutputTokens ?? 0);
    const tooLarge =
      tokens > contextWindow ? [`bounded: a request of ${tokens} tokens to a window of ${contextWindow}`] : [];
    return [...tooLarge, ...validateView(messages).map(({ reason }) => `valid request: ${reason}`)];
  });
}

/** The size of the view of a log by our own count. */
export function viewTokens(log: readonly Message[]): number {
  return countMessagesTokens(effectiveView(log));
}

/**
 * What no view can go below: the first message and the last turn, each block whole or as a stub of 40 tokens for it and
 * each of its items, and a marker for the rest. Above that, there is no excuse.
 */
export function smallestViewTokens(log: readonly Message[]): number {
  const { units } = measureView(log, countContentTokens);
  const kept = units.length > 1 ? [units[0], units.at(-1)] : units;
  const blocks = kept.flatMap((unit) => unit?.entries ?? []).flatMap(({ message }) => blocksOf(message));
  return 40 + blocks.reduce((sum, block) => sum + leastTokens(block), 0);
}

function blocksOf({ content }: Message): readonly Block[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

function leastTokens(block: Block): number {
  const items = isToolResult(block) && Array.isArray(block.content) ? block.content.length : 1;
  return Math.min(countContentTokens([block]), 40 + 40 * items);
}

export function isPrefix(before: readonly Message[], after: readonly Message[]): boolean {
  return before.every(
    (message, index) => message === after[index] || JSON.stringify(message) === JSON.stringify(after[index]),
  );
}

/** What never ends, on the busiest machine too. */
const ENDLESS_MS = 60_000;

/** Ends what should have ended long ago: a promise that is never kept must not be waited for. */
export async function terminating<Value>(promise: Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`terminates: not done after ${ENDLESS_MS} ms`)), ENDLESS_MS);
  });
  try {
    return await Promise.race([promise, limit]);
  } finally {
    clearTimeout(timer);
  }
}

/** Lets a value pass for what it is not: what no type allows is what other people's code may do. */
export function passFor<Value>(_value: unknown): asserts _value is Value {}
