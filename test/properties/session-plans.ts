/** Random lives of a session, as data. */
import fc from "fast-check";
import type { Labels } from "./conversations.ts";
import { type Episode, episode, labels, opening } from "./long-conversations.ts";
import { condensingWindow, type ModelPlan, quickScript, script } from "./model-behaviours.ts";

export type Step =
  | { readonly type: "append"; readonly episode: Episode }
  /** Twice where `isRepeated`: the second view must be the first. */
  | { readonly type: "prepare"; readonly isRepeated: boolean }
  /** Messages arrive while a view is being prepared. */
  | { readonly type: "prepareWhileAppending"; readonly episode: Episode }
  | { readonly type: "observe"; readonly usage: UsagePlan }
  | { readonly type: "condense" }
  | { readonly type: "restore"; readonly pick: number }
  | { readonly type: "useModel"; readonly contextWindow: number }
  /** From here on no model may be asked. */
  | { readonly type: "switchOff" }
  /** What runs in the background gets its turn. */
  | { readonly type: "wait" };

/** The provider's report: near the truth, or any number at all. */
export type UsagePlan =
  | { readonly type: "honest"; readonly ratio: number }
  | { readonly type: "lie"; readonly inputTokens: number };

export interface SessionPlan {
  readonly contextWindow: number;
  readonly maxTokens: number | undefined;
  readonly systemTokens: number;
  readonly toolTokens: number;
  readonly labels: Labels;
  readonly opening: Episode;
  readonly steps: readonly Step[];
  readonly strategies: readonly { readonly strategy: "summary" | "snapshot"; readonly model: ModelPlan }[];
  readonly settings: Settings;
  /** In which order the folds are undone in the end. */
  readonly picks: readonly number[];
}

export interface Settings {
  readonly primary: "llm" | "truncation" | "hybrid";
  readonly fallback: "truncation" | "error";
  readonly background: boolean;
  readonly maxModelCalls: number;
  readonly keepMessages: number | undefined;
  readonly thresholdPercent: number | undefined;
  readonly isValidated: boolean;
  readonly hooks: boolean;
  readonly telemetry: boolean;
  readonly logging: boolean;
  /** Whether large tool outputs are put into files, and how that goes. */
  readonly offload: "off" | "written" | "some" | "refused";
}

/** Mostly small ones: what fills them is made, counted and compared thousands of times. */
export const contextWindow = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 4_000, max: 8_000 }) },
  { weight: 18, arbitrary: fc.integer({ min: 8_000, max: 16_000 }) },
  { weight: 3, arbitrary: fc.integer({ min: 16_000, max: 60_000 }) },
  { weight: 1, arbitrary: fc.integer({ min: 60_000, max: 200_000 }) },
);

/** Now and then more than the window itself. */
export function replyAllowance(window: number): fc.Arbitrary<number | undefined> {
  return fc.oneof(
    { weight: 6, arbitrary: fc.constant(undefined) },
    { weight: 12, arbitrary: fc.integer({ min: 0, max: Math.floor(window / 2) }) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: window * 2 }) },
  );
}

/** System prompt or tools, in tokens: mostly a small part of the window, now and then more than fits. */
export function overhead(window: number): fc.Arbitrary<number> {
  return fc.oneof(
    { weight: 10, arbitrary: fc.nat(300) },
    { weight: 10, arbitrary: fc.nat(Math.floor(window * 0.2)) },
    { weight: 1, arbitrary: fc.nat(Math.floor(window * 1.2)) },
  );
}

/** Reports that are honest differ no more from our own count. */
export const LEAST_HONEST_RATIO = 0.95;

const usage: fc.Arbitrary<UsagePlan> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant("honest" as const),
      ratio: fc.double({ min: LEAST_HONEST_RATIO, max: 1.05, noNaN: true }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant("lie" as const),
      inputTokens: fc.oneof(
        fc.constantFrom(0, Number.NaN, 1e9, -5, Number.POSITIVE_INFINITY),
        fc.integer({ min: 1, max: 30_000 }),
      ),
    }),
  },
);

function step(window: number): fc.Arbitrary<Step> {
  const appended = episode(window);
  return fc.oneof(
    { weight: 12, arbitrary: fc.record({ type: fc.constant("append" as const), episode: appended }) },
    { weight: 12, arbitrary: fc.record({ type: fc.constant("prepare" as const), isRepeated: fc.boolean() }) },
    { weight: 2, arbitrary: fc.record({ type: fc.constant("prepareWhileAppending" as const), episode: appended }) },
    { weight: 4, arbitrary: fc.record({ type: fc.constant("observe" as const), usage }) },
    { weight: 2, arbitrary: fc.record({ type: fc.constant("condense" as const) }) },
    { weight: 2, arbitrary: fc.record({ type: fc.constant("restore" as const), pick: fc.nat() }) },
    { weight: 2, arbitrary: fc.record({ type: fc.constant("useModel" as const), contextWindow }) },
    { weight: 2, arbitrary: fc.constant<Step>({ type: "wait" }) },
    { weight: 1, arbitrary: fc.constant<Step>({ type: "switchOff" }) },
  );
}

const settings: fc.Arbitrary<Settings> = fc.record({
  primary: fc.constantFrom("hybrid", "hybrid", "hybrid", "llm", "llm", "llm", "truncation"),
  fallback: fc.constantFrom("truncation", "truncation", "truncation", "truncation", "error"),
  background: fc.constantFrom(false, false, true),
  maxModelCalls: fc.constantFrom(0, 1, 2, 3, 4, 4, 4, 6),
  keepMessages: fc.option(fc.nat(6), { nil: undefined }),
  thresholdPercent: fc.option(fc.integer({ min: 5, max: 100 }), { nil: undefined }),
  isValidated: fc.boolean(),
  hooks: fc.boolean(),
  telemetry: fc.boolean(),
  logging: fc.boolean(),
  offload: fc.constantFrom("off", "written", "some", "refused"),
});

function sessionPlanWith(models: fc.Arbitrary<ModelPlan>): fc.Arbitrary<SessionPlan> {
  const strategies = fc.uniqueArray(
    fc.record({ strategy: fc.constantFrom<"summary" | "snapshot">("summary", "snapshot"), model: models }),
    { maxLength: 2, minLength: 1, selector: ({ strategy }) => strategy },
  );
  return contextWindow.chain((window) =>
    fc.record({
      contextWindow: fc.constant(window),
      maxTokens: replyAllowance(window),
      systemTokens: overhead(window),
      toolTokens: overhead(window),
      labels,
      opening: opening(window),
      steps: fc.array(step(window), { minLength: 1, maxLength: 16, size: "max" }),
      strategies,
      settings,
      picks: fc.array(fc.nat(), { minLength: 1, maxLength: 6 }),
    }),
  );
}

export const sessionPlan = sessionPlanWith(fc.record({ script, contextWindow: condensingWindow }));

/** Without models that hang: what they leave to a background depends on the clock. */
export const quickSessionPlan = sessionPlanWith(fc.record({ script: quickScript, contextWindow: condensingWindow }));
