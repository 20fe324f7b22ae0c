import { assert, assertNumber } from "../assert.ts";
import { tokenizeForRecall } from "../recall/terms/tokenize-for-recall.ts";
import { FUNCTION_WORDS } from "../text/function-words.ts";

/** A goal with more keywords is pasted text, which nearly every message would match. */
const DEFAULT_MAX_KEYWORDS = 50;

// Longer goals are pasted text, of which the beginning tells the subject.
const MAX_GOAL_CHARACTERS = 10_000;

/** Words that do not tell the subject of a task: what people ask of an agent in any task, and function words. */
const STOP_WORDS: readonly string[] = [
  ...["add", "allow", "build", "change", "check", "code", "create", "do", "ensure", "file", "find", "fix", "function"],
  ...["get", "help", "implement", "improve", "look", "make", "need", "new", "please", "project", "put", "run", "set"],
  ...["show", "sure", "task", "tell", "try", "update", "use", "want", "work", "write"],
  ...FUNCTION_WORDS,
];

const stopTerms: ReadonlySet<string> = new Set(STOP_WORDS.flatMap(tokenizeForRecall));

/**
 * The words that distinguish messages about this goal from others, as terms of recall, in the order of the goal: without
 * function words, bare numbers, and verbs with which many tasks begin.
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
