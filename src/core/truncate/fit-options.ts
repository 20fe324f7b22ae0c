import { assert, assertNumber, assertObject } from "../assert.ts";
import type { CountTokens, Message } from "../message/message.ts";
import { checkedCounter } from "../tokens/checked-counter.ts";
import type { ClearRules } from "./clear-tool-results.ts";
import { checkOffload, type OffloadRule } from "./offload.ts";

/** How a log is to be fitted into a budget. */
export interface FitOptions {
  /** The view must not be larger than this: the room for messages alone, without system prompt and tools. */
  readonly allowedTokens: number;
  /**
   * How far to go once something must be hidden. Each fold breaks the provider's cached prefix, so one large fold is cheaper
   * than many small ones.
   * @default 0.7 × allowedTokens
   */
  readonly targetTokens?: number;
  /** @default countContentTokens */
  readonly countTokens?: CountTokens;
  /** Which messages truncation hides. @default { type: "oldest" } */
  readonly selection?: TruncationSelection;
  /** Fold ids follow from it. @default "" */
  readonly taskId?: string;
  /** Which tool results are moved to files that their stand-ins name. @default none */
  readonly offload?: OffloadRule | undefined;
  /** How the ladder clears old tool results. @default those of all tools, with stubs that name the call */
  readonly clear?: ClearRules;
}

/** Which of the messages that may be hidden are hidden: always whole units, and half of the rest again and again where that is not enough. */
export type TruncationSelection =
  /** The fewest of the oldest that reach the target. */
  | { readonly type: "oldest" }
  /** The oldest share of them. @default fracToRemove 0.5 */
  | { readonly type: "fraction"; readonly fracToRemove?: number }
  /** All but the newest messages of the view. @default count 20 */
  | { readonly type: "keepLast"; readonly count?: number };

const TARGET_SHARE = 0.7;

/** The options with their defaults filled in; throws where a number cannot be worked with. */
export function resolveFitOptions(options: FitOptions): Required<FitOptions> {
  assertObject("options", options);
  const { allowedTokens, selection = { type: "oldest" }, taskId = "" } = options;
  assertNumber("allowedTokens", allowedTokens);
  const { targetTokens = TARGET_SHARE * allowedTokens } = options;
  assertNumber("targetTokens", targetTokens);
  checkSelection(selection);
  checkOffload(options.offload);
  if (options.clear !== undefined) assertObject("clear", options.clear);
  return {
    allowedTokens,
    targetTokens: Math.min(targetTokens, allowedTokens),
    countTokens: checkedCounter(options.countTokens),
    selection,
    taskId,
    offload: options.offload,
    clear: options.clear ?? {},
  };
}

const SELECTION_TYPES: readonly unknown[] = [
  "oldest",
  "fraction",
  "keepLast",
] satisfies readonly TruncationSelection["type"][];

function checkSelection(selection: TruncationSelection): void {
  assertObject("selection", selection);
  assert(SELECTION_TYPES.includes(selection.type), "selection.type", selection.type, SELECTION_TYPES.join(", "));
  if (selection.type === "fraction") assertFraction("selection.fracToRemove", selection.fracToRemove ?? 0);
  if (selection.type === "keepLast") assertNumber("selection.count", selection.count ?? 0, 0);
}

/** Throws unless `value` is a share, from 0 to 1. */
export function assertFraction(name: string, value: number): void {
  assert(typeof value === "number" && value >= 0 && value <= 1, name, value, "between 0 and 1");
}

/** The outcome of fitting a log into a budget. */
export interface FitResult {
  /**
   * `unchanged`: it fitted already, and `messages` is the same array. `folded`: it fits now. `cannot-fit`: even with all that
   * may be hidden gone, the view is over the budget, and `messages` is the smallest that was reached.
   */
  readonly type: "unchanged" | "folded" | "cannot-fit";
  readonly messages: readonly Message[];
  /** The true size of the view of `messages`. */
  readonly tokens: number;
  /** The folds that were made, in order. */
  readonly foldIds: readonly string[];
  /** Messages that were hidden whole. */
  readonly messagesHidden: number;
}

/** A log between the steps of fitting it. */
export type Folded = Omit<FitResult, "type">;
