import { assert, assertArray, assertNumber, assertObject } from "../assert.ts";
import { checkMessages } from "../message/check-messages.ts";
import type { CountTokens, Message } from "../message/message.ts";
import { detectPairs, hasOpenToolUse } from "../message/tool-pairs.ts";
import { detectUnits } from "../message/units.ts";
import { countContentTokens } from "../tokens/count-content.ts";
import { countMessagesTokens } from "../tokens/count-messages.ts";
import type { MessagePriority, PriorityLevel } from "./priority.ts";

const LEVELS: readonly PriorityLevel[] = ["critical", "important", "normal"];

export interface SelectionOptions {
  /** @default countContentTokens */
  readonly countTokens?: CountTokens;
}

/** The result of a selection. */
export interface MessageSelection {
  /** In their original order, as the same objects. */
  readonly messages: readonly Message[];
  readonly tokens: number;
  /** Whether the messages that are always selected exceed the budget on their own; no others are selected then. */
  readonly isOverBudget: boolean;
  /** One for each unit, in order: a single message, or a tool call with its results. */
  readonly choices: readonly SelectionChoice[];
}

/** The outcome for the messages of a unit, from `start` to before `end`. */
export interface SelectionChoice {
  readonly start: number;
  readonly end: number;
  readonly tokens: number;
  /** The highest score of its messages. */
  readonly score: number;
  readonly level: PriorityLevel;
  readonly outcome: SelectionOutcome;
}

/**
 * `critical` and `running` units are selected whatever the budget: the result of a running call needs its call.
 * `fits`: selected, because units with a higher score left enough of the budget. `no-room`: not selected.
 */
export type SelectionOutcome = "critical" | "running" | "fits" | "no-room";

/**
 * Selects the messages with the highest scores that fit `budget` tokens; among equals, the newest. Tool pairs are selected whole or
 * not at all, with the score of the best message in them. Critical messages, and a call that is still running, are selected
 * even where they exceed the budget. The caller must make the result valid for a provider (a user's turn first).
 * @example
 * ```ts
 * import { scoreMessages, selectMessages } from "palimpsest/agent";
 * const log = Array.from({ length: 20 }, () => ({ role: "user", content: "as long as the others" }) as const);
 * const { messages, tokens } = selectMessages(log, scoreMessages(log), 30);
 * console.log(messages.length, tokens <= 30); // 6 true
 * ```
 */
export function selectMessages(
  messages: readonly Message[],
  priorities: readonly MessagePriority[],
  budget: number,
  options: SelectionOptions = {},
): MessageSelection {
  checkMessages(messages);
  assertPriorities(priorities, messages.length);
  assertNumber("budget", budget);
  assertObject("options", options);
  const units = measureUnits(messages, priorities, options.countTokens ?? countContentTokens);
  const choices = chooseUnits(units, budget);
  const selected = choices.filter(({ outcome }) => outcome !== "no-room");
  const tokens = selected.reduce((sum, choice) => sum + choice.tokens, 0);
  return {
    messages: selected.flatMap(({ start, end }) => messages.slice(start, end)),
    tokens,
    isOverBudget: tokens > budget,
    choices,
  };
}

function assertPriorities(priorities: readonly MessagePriority[], count: number): void {
  assertArray("priorities", priorities);
  assert(priorities.length === count, "priorities.length", priorities.length, `the number of messages, ${count}`);
  for (const [index, priority] of priorities.entries()) {
    assertObject(`priorities[${index}]`, priority);
    assertNumber(`priorities[${index}].score`, priority.score);
  }
}

type MeasuredUnit = Omit<SelectionChoice, "outcome"> & { readonly isRunning: boolean };

function measureUnits(
  messages: readonly Message[],
  priorities: readonly MessagePriority[],
  countTokens: CountTokens,
): readonly MeasuredUnit[] {
  const pairs = detectPairs(messages);
  return detectUnits(messages).map(({ start, end }) => {
    const inside = messages.slice(start, end);
    return {
      ...{ start, end, tokens: countMessagesTokens(inside, countTokens) },
      ...bestOf(priorities.slice(start, end)),
      isRunning: end === messages.length && inside.some((message) => hasOpenToolUse(message, pairs)),
    };
  });
}

function bestOf(priorities: readonly MessagePriority[]): Pick<SelectionChoice, "score" | "level"> {
  const score = priorities.reduce((best, each) => Math.max(best, each.score), Number.NEGATIVE_INFINITY);
  // priorities may be the caller's own, so that a level need not follow from the score
  const level = LEVELS.find((each) => priorities.some((priority) => priority.level === each)) ?? "low";
  return { score, level };
}

function chooseUnits(units: readonly MeasuredUnit[], budget: number): readonly SelectionChoice[] {
  const always = (unit: MeasuredUnit) => unit.level === "critical" || unit.isRunning;
  let left = units.filter(always).reduce((rest, unit) => rest - unit.tokens, budget);
  const fitting = new Set<MeasuredUnit>();
  const ranked = units
    .filter((unit) => !always(unit))
    .sort((one, other) => other.score - one.score || other.start - one.start);
  for (const unit of ranked) {
    if (unit.tokens > left) continue;
    fitting.add(unit);
    left -= unit.tokens;
  }
  return units.map((unit) => {
    const { isRunning, ...choice } = unit;
    return { ...choice, outcome: outcomeOf(unit, fitting.has(unit)) };
  });
}

function outcomeOf(unit: MeasuredUnit, isFitting: boolean): SelectionOutcome {
  if (unit.level === "critical") return "critical";
  if (unit.isRunning) return "running";
  return isFitting ? "fits" : "no-room";
}
