/** How much a message matters, best first. */
export type PriorityLevel = "critical" | "important" | "normal" | "low";

/** The rules by which a message gets points. */
export type PriorityRule =
  | "user"
  | "assistant"
  | "recent"
  | "tools"
  | "task-keyword"
  | "marked-important"
  | "decision"
  | "condensed";

/** A rule that applied, with its points. */
export interface PriorityReason {
  readonly rule: PriorityRule;
  readonly points: number;
}

/** A message's score, which is the sum of the points of its reasons. */
export interface MessagePriority {
  readonly score: number;
  readonly level: PriorityLevel;
  readonly reasons: readonly PriorityReason[];
}

/**
 * The points of each rule; the newest message gets all points of `recent`, and each older one a point less than the message after it.
 * @example
 * ```ts
 * import { PRIORITY_POINTS, scoreMessage } from "palimpsest/agent";
 * const { score } = scoreMessage({ role: "user", content: "Hello." }, { age: 100 });
 * console.log(score === PRIORITY_POINTS.user); // true
 * ```
 */
export const PRIORITY_POINTS = {
  user: 10,
  assistant: 5,
  recent: 20,
  tools: 15,
  "task-keyword": 25,
  "marked-important": 30,
  decision: 20,
  condensed: -10,
} as const satisfies Record<PriorityRule, number>;

/**
 * The least score of each level above `low`.
 * @example
 * ```ts
 * import { PRIORITY_THRESHOLDS, scoreMessage } from "palimpsest/agent";
 * const { level, score } = scoreMessage({ role: "user", content: "Fix the login.", important: true }, { age: 0, keywords: ["login"] });
 * console.log(level, score >= PRIORITY_THRESHOLDS.critical); // critical true
 * ```
 */
export const PRIORITY_THRESHOLDS = { critical: 70, important: 50, normal: 30 } as const;

/** The level of a score. */
export function priorityLevel(score: number): PriorityLevel {
  if (score >= PRIORITY_THRESHOLDS.critical) return "critical";
  if (score >= PRIORITY_THRESHOLDS.important) return "important";
  return score >= PRIORITY_THRESHOLDS.normal ? "normal" : "low";
}
