import { assertNumber, assertObject } from "../assert.ts";
import type { CallSize } from "./call-size.ts";

/** What a fold leaves and costs. */
export interface FoldModel {
  /** What a fold leaves of the conversation, unless the newest arrival needs more. */
  readonly leftTokens: number;
  /** What the agent reads again after a fold. @default 0 */
  readonly rereadTokens?: number;
  /** What a condensing model writes for each fold. @default 0: no model is asked */
  readonly summaryTokens?: number;
  /** The largest prompt that may be sent. @default no limit */
  readonly allowedTokens?: number;
}

export function assertFoldModel(model: FoldModel): void {
  assertObject("model", model);
  const { leftTokens, rereadTokens = 0, summaryTokens = 0, allowedTokens = 0 } = model;
  for (const [name, value] of Object.entries({ leftTokens, rereadTokens, summaryTokens, allowedTokens })) {
    assertNumber(`model.${name}`, value, 0);
  }
}

/** The conversation after a fold before this call: the newest arrival is never hidden, but clipped where it does not fit. */
export function leftAfterFold(call: CallSize, { leftTokens, allowedTokens = Number.POSITIVE_INFINITY }: FoldModel) {
  const wanted = Math.max(leftTokens, call.arrivedTokens + leftTokens / 4);
  return Math.max(0, Math.min(wanted, allowedTokens - call.fixedTokens));
}
