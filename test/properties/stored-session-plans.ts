/** Random lives of sessions on a store that two engines share, as data. */
import fc from "fast-check";
import { type TurnPlan, turnPlan } from "./conversations.ts";

/** What one of the engines does to one of the sessions; picks choose among what is there by then. */
export interface StoredStep {
  readonly engine: number;
  readonly session: number;
  readonly act: Act;
}

export type Act =
  | { readonly type: "append"; readonly turns: readonly TurnPlan[] }
  /** Both engines at once. */
  | { readonly type: "appendBoth"; readonly turns: readonly TurnPlan[]; readonly otherTurns: readonly TurnPlan[] }
  /** While the other engine appends. */
  | { readonly type: "prepareMeanwhile"; readonly turns: readonly TurnPlan[] }
  | { readonly type: "prepare" }
  | { readonly type: "condense" }
  | { readonly type: "restore"; readonly pick: number }
  | { readonly type: "mark"; readonly pick: number; readonly important: boolean }
  | { readonly type: "rewindToVersion"; readonly pick: number }
  | { readonly type: "rewindToMessage"; readonly pick: number; readonly includeMessage: boolean }
  | { readonly type: "undo" }
  | { readonly type: "branch"; readonly pick: number | undefined }
  | { readonly type: "reopen" };

export interface StoredPlan {
  readonly opening: readonly TurnPlan[];
  readonly steps: readonly StoredStep[];
  /** Without condensing, what does not fit is truncated. */
  readonly condenses: boolean;
}

const turns = fc.array(turnPlan, { minLength: 1, maxLength: 3 });

const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ type: fc.constant("append" as const), turns }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("appendBoth" as const), turns, otherTurns: turns }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("prepareMeanwhile" as const), turns }) },
  { weight: 6, arbitrary: fc.constant<Act>({ type: "prepare" }) },
  { weight: 4, arbitrary: fc.constant<Act>({ type: "condense" }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant("restore" as const), pick: fc.nat() }) },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant("mark" as const), pick: fc.nat(), important: fc.boolean() }),
  },
  { weight: 3, arbitrary: fc.record({ type: fc.constant("rewindToVersion" as const), pick: fc.nat() }) },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant("rewindToMessage" as const),
      pick: fc.nat(),
      includeMessage: fc.boolean(),
    }),
  },
  { weight: 3, arbitrary: fc.constant<Act>({ type: "undo" }) },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant("branch" as const),
      pick: fc.option(fc.nat(), { nil: undefined }),
    }),
  },
  { weight: 2, arbitrary: fc.constant<Act>({ type: "reopen" }) },
);

export const storedPlan: fc.Arbitrary<StoredPlan> = fc.record({
  opening: fc.array(turnPlan, { minLength: 3, maxLength: 6 }),
  steps: fc.array(fc.record({ engine: fc.nat(1), session: fc.nat(3), act }), {
    minLength: 3,
    maxLength: 14,
    size: "max",
  }),
  condenses: fc.boolean(),
});
