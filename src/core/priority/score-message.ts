import { assert, assertArray, assertObject } from "../assert.ts";
import { checkMessages } from "../message/check-messages.ts";
import { collectStandIns, liveTags } from "../message/effective-view.ts";
import type { Message } from "../message/message.ts";
import { contentBlocks, isToolResult, isToolUse } from "../message/tool-pairs.ts";
import { messageTerms } from "../recall/message-terms.ts";
import { tokenizeForRecall } from "../recall/terms/tokenize-for-recall.ts";
import { decides } from "../text/decisions/decides.ts";
import { type MessagePriority, PRIORITY_POINTS, type PriorityRule, priorityLevel } from "./priority.ts";

/** The context of a message. */
export interface ScoreContext {
  /** How many messages came after it. */
  readonly age: number;
  /** Words or phrases of the task, such as those of `taskKeywords`. @default none */
  readonly keywords?: readonly string[];
  /** Whether a summary stands in for it. @default true where it has a `condenseParent` */
  readonly isCondensed?: boolean;
}

export interface ScoreOptions {
  /** Words or phrases of the task, such as those of `taskKeywords`. @default none */
  readonly keywords?: readonly string[];
}

/**
 * How much a message matters, and why.
 * @example
 * ```ts
 * import { scoreMessage } from "palimpsest/agent";
 * const { score, level } = scoreMessage({ role: "user", content: "Fix the login." }, { age: 0, keywords: ["login"] });
 * console.log(score, level); // 55 important
 * ```
 */
export function scoreMessage(message: Message, context: ScoreContext): MessagePriority {
  checkMessages([message]);
  assertObject("context", context);
  const { age, keywords = [], isCondensed = message.condenseParent !== undefined } = context;
  assert(Number.isInteger(age) && age >= 0, "context.age", age, "a whole number of at least 0");
  return score(message, { age, isCondensed, mentionsKeyword: matcherOf(keywords) });
}

/**
 * The priority of each message of a log or view, in order.
 * @example
 * ```ts
 * import { scoreMessages } from "palimpsest/agent";
 * const priorities = scoreMessages([{ role: "user", content: "Fix the login." }, { role: "assistant", content: "It is fixed." }]);
 * console.log(priorities.map(({ score }) => score)); // [ 29, 25 ]
 * ```
 */
export function scoreMessages(messages: readonly Message[], options: ScoreOptions = {}): readonly MessagePriority[] {
  checkMessages(messages);
  assertObject("options", options);
  const mentionsKeyword = matcherOf(options.keywords ?? []);
  const standIns = collectStandIns(messages);
  return messages.map((message, index) =>
    score(message, {
      age: messages.length - 1 - index,
      // a tag whose summary is not in the log hides nothing
      isCondensed: liveTags(message, standIns).condenseParent !== undefined,
      mentionsKeyword,
    }),
  );
}

interface CheckedContext {
  readonly age: number;
  readonly isCondensed: boolean;
  readonly mentionsKeyword: MentionsKeyword;
}

function score(message: Message, { age, isCondensed, mentionsKeyword }: CheckedContext): MessagePriority {
  const applies: Record<PriorityRule, boolean> = {
    user: message.role === "user",
    assistant: message.role === "assistant",
    recent: age < PRIORITY_POINTS.recent,
    tools: contentBlocks(message.content).some((block) => isToolUse(block) || isToolResult(block)),
    "task-keyword": mentionsKeyword(message),
    "marked-important": message.important === true,
    decision: decides(message),
    condensed: isCondensed,
  };
  const reasons = RULES.filter((rule) => applies[rule]).map((rule) => ({
    rule,
    points: rule === "recent" ? PRIORITY_POINTS.recent - age : PRIORITY_POINTS[rule],
  }));
  const total = reasons.reduce((sum, { points }) => sum + points, 0);
  return { score: total, level: priorityLevel(total), reasons };
}

const RULES: readonly PriorityRule[] = [
  ...(["user", "assistant", "recent", "tools"] as const),
  ...(["task-keyword", "marked-important", "decision", "condensed"] as const),
];

function matcherOf(keywords: readonly string[]): MentionsKeyword {
  assertArray("keywords", keywords);
  for (const [index, keyword] of keywords.entries()) {
    assert(typeof keyword === "string", `keywords[${index}]`, keyword, "a string");
  }
  return keywordMatcher(keywords);
}

type MentionsKeyword = (message: Message) => boolean;

// A cache of one answer per message: the keywords of a task stay the same from turn to turn, and messages never change.
const cachedAnswers = new WeakMap<Message, { readonly keywords: string; readonly isMentioned: boolean }>();

/**
 * Returns a test of whether a message mentions one of the keywords in its texts, calls or results. A keyword is
 * mentioned when the message has it as a term of recall, or has all terms of which it consists.
 */
function keywordMatcher(keywords: readonly string[]): MentionsKeyword {
  const wanted = keywords.map((keyword) => ({ term: keyword.toLowerCase(), parts: tokenizeForRecall(keyword) }));
  if (wanted.length === 0) return () => false;
  const key = JSON.stringify(keywords);
  return (message) => {
    const cached = cachedAnswers.get(message);
    if (cached?.keywords === key) return cached.isMentioned;
    const terms = new Set(messageTerms(message));
    const isMentioned = wanted.some(
      ({ term, parts }) => terms.has(term) || (parts.length > 0 && parts.every((part) => terms.has(part))),
    );
    cachedAnswers.set(message, { keywords: key, isMentioned });
    return isMentioned;
  };
}
