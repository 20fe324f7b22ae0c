import { assert, assertNumber } from "../assert.ts";
import { tokenizeForRecall } from "../recall/terms/tokenize-for-recall.ts";
import { STOP_WORDS } from "./stop-words.ts";

/** A goal with more words than this is pasted text: it would mention everything. */
const DEFAULT_MAX_KEYWORDS = 50;

// Longer goals are pasted text; what they are about is said at the start.
const MAX_GOAL_CHARACTERS = 10_000;

const stopTerms: ReadonlySet<string> = new Set(STOP_WORDS.flatMap(tokenizeForRecall));

/**
 * The words that tell messages about this goal from others, as terms of recall, in the order of the goal: without the
 * words that every sentence has, bare numbers, and the verbs that every task begins with.
 * @default maxKeywords 50
 * @example
 * ```ts
 * import { taskKeywords } from "palimpsest/agent";
 * console.log(taskKeywords("Fix the login of the billing page").includes("login")); // true
 * ```
 */
export function taskKeywords(goal: string, maxKeywords: number = DEFAULT_MAX_KEYWORDS): readonly string[] {
  assert(typeof goal === "string", "goal", goal, "a string");
  assertNumber("maxKeywords", maxKeywords, 0);
  const terms = new Set(tokenizeForRecall(goal.slice(0, MAX_GOAL_CHARACTERS)));
  return [...terms].filter((term) => !stopTerms.has(term) && !/^\p{N}+$/u.test(term)).slice(0, maxKeywords);
}
