/** What always holds of manageContext, called turn after turn over random conversations, models and windows. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { effectiveView } from "../../src/core/message/effective-view.ts";
import type { Message } from "../../src/core/message/message.ts";
import { MIN_CONDENSE_WINDOW } from "../../src/core/policy/will-manage-context.ts";
import { countMessagesTokens } from "../../src/core/tokens/count-messages.ts";
import { countTextTokens } from "../../src/core/tokens/o200k/count-text-tokens.ts";
import { DEFAULT_MAX_MODEL_CALLS } from "../../src/engine/condense/condensation-run.ts";
import { type ContextManagementResult, manageContext } from "../../src/engine/manage-context.ts";
import { deepFreeze } from "../support/messages.ts";
import type { Labels } from "./conversations.ts";
import { buildEpisode, denseText, type Episode, episode, labels, opening } from "./long-conversations.ts";
import { LONG_TIMEOUT_MS, longRuns, withKnownCases } from "./long-runs.ts";
import { condensingWindow, type ModelPlan, quickScript, scriptedModel } from "./model-behaviours.ts";
import {
  logBreaches,
  requestBreaches,
  restoreBreaches,
  smallestViewTokens,
  terminating,
  viewTokens,
} from "./promises.ts";
import { contextWindow, overhead, replyAllowance } from "./session-plans.ts";

interface Turn {
  readonly episode: Episode;
  /** What the caller says of the size so far, against the truth; wild numbers are lies. */
  readonly reported:
    | { readonly type: "honest"; readonly ratio: number }
    | { readonly type: "lie"; readonly tokens: number };
}

interface ManagePlan {
  readonly contextWindow: number;
  readonly maxTokens: number | undefined;
  readonly systemTokens: number;
  readonly labels: Labels;
  readonly turns: readonly Turn[];
  readonly isOn: boolean;
  readonly percent: number;
  readonly profileThreshold: number;
  readonly customPrompt: string | undefined;
  readonly model: ModelPlan;
  /** A model of its own to condense with. */
  readonly condensing: ModelPlan | undefined;
  readonly picks: readonly number[];
}

const reported: fc.Arbitrary<Turn["reported"]> = fc.oneof(
  { weight: 6, arbitrary: fc.constant({ type: "honest" as const, ratio: 1 }) },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constant("honest" as const), ratio: fc.double({ min: 1, max: 1.5, noNaN: true }) }),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(0, 1, 1e9).map((tokens) => ({ type: "lie" as const, tokens })),
  },
);

const model = fc.record<ModelPlan>({ script: quickScript, contextWindow: condensingWindow });

const managePlan: fc.Arbitrary<ManagePlan> = contextWindow.chain((window) =>
  fc.record({
    contextWindow: fc.constant(window),
    maxTokens: replyAllowance(window),
    systemTokens: overhead(window),
    labels,
    turns: fc
      .tuple(
        opening(window),
        fc.array(fc.record({ episode: episode(window), reported }), { minLength: 1, maxLength: 7, size: "max" }),
      )
      .map(([first, rest]): readonly Turn[] => [{ episode: first, reported: { type: "honest", ratio: 1 } }, ...rest]),
    isOn: fc.constantFrom(true, true, true, false),
    percent: fc.integer({ min: 5, max: 100 }),
    profileThreshold: fc.constantFrom(-1, -1, 5, 50, 101, Number.NaN),
    customPrompt: fc.constantFrom(undefined, undefined, "  ", "Sum up.", denseText(500)),
    model,
    condensing: fc.option(model, { nil: undefined }),
    picks: fc.array(fc.nat(), { minLength: 1, maxLength: 6 }),
  }),
);

interface ManageRun {
  readonly breaches: readonly string[];
  readonly results: readonly ContextManagementResult[];
  readonly requests: readonly unknown[];
}

/** The conversation as an agent has it: each turn is managed before it is answered. */
async function converse(plan: ManagePlan): Promise<ManageRun> {
  const { maxTokens, labels, isOn } = plan;
  const apiHandler = scriptedModel(plan.model);
  const condensingApiHandler = plan.condensing === undefined ? undefined : scriptedModel(plan.condensing);
  const condensing = condensingApiHandler ?? apiHandler;
  const condensingModel = plan.condensing ?? plan.model;
  const systemPrompt = plan.systemTokens === 0 ? "" : denseText(plan.systemTokens);
  const systemTokens = countTextTokens(systemPrompt);
  const breaches: string[] = [];
  const results: ContextManagementResult[] = [];
  let original: readonly Message[] = [];
  let messages: readonly Message[] = [];
  let firstTurn = 0;
  for (const turn of plan.turns) {
    const added = deepFreeze(buildEpisode(turn.episode, { firstTurn, labels }));
    firstTurn += turn.episode.turns.length;
    original = [...original, ...added];
    messages = [...messages, ...added];
    const truth = systemTokens + countMessagesTokens(effectiveView(messages).slice(0, -1));
    const totalTokens = turn.reported.type === "lie" ? turn.reported.tokens : Math.round(truth * turn.reported.ratio);
    const asked = condensing.asked.length;
    const result = await terminating(
      manageContext({
        messages,
        totalTokens,
        contextWindow: plan.contextWindow,
        maxTokens,
        apiHandler,
        condensingApiHandler,
        autoCondenseContext: isOn,
        autoCondenseContextPercent: plan.percent,
        profileThresholds: { fast: plan.profileThreshold },
        currentProfileId: "fast",
        systemPrompt,
        taskId: "task",
        customCondensingPrompt: plan.customPrompt,
      }),
    );
    results.push(result);
    const calls = condensing.asked.length - asked;
    const mayAsk = isOn && plan.contextWindow >= MIN_CONDENSE_WINDOW;
    if (calls > (mayAsk ? DEFAULT_MAX_MODEL_CALLS : 0))
      breaches.push(`bounded or off: ${calls} model calls in one turn`);
    breaches.push(...logBreaches(result.messages, original));
    breaches.push(...resultBreaches(plan, { result, messages, systemTokens, isTrue: turn.reported.type === "honest" }));
    messages = result.messages;
    if (breaches.length > 0) break;
  }
  if (condensing !== apiHandler && apiHandler.asked.length > 0)
    breaches.push("off: the main model was asked to condense");
  breaches.push(...requestBreaches(condensing.asked, condensingModel.contextWindow));
  breaches.push(...restoreBreaches(messages, original, plan.picks));
  return { breaches, results, requests: condensing.asked.map((each) => [each.systemPrompt, each.messages]) };
}

interface Managed {
  readonly result: ContextManagementResult;
  readonly messages: readonly Message[];
  readonly systemTokens: number;
  readonly isTrue: boolean;
}

/** Fits, where the caller told the truth about the size; and says nothing about itself that is not so. */
function resultBreaches(plan: ManagePlan, managed: Managed): readonly string[] {
  const { result, messages, systemTokens } = managed;
  const promptTokens = systemTokens + viewTokens(result.messages);
  const allowedTokens = plan.contextWindow * 0.9 - (plan.maxTokens ?? 8_192);
  const { error, condenseId, summary, truncationId, newContextTokensAfterTruncation: sizeTold } = result;
  const hasMessage = (field: "condenseId" | "truncationId", id: string) =>
    result.messages.some((message) => message[field] === id);
  const isUntold = condenseId === undefined && sizeTold === undefined;
  const breaches = {
    "fits: the prompt is too large": promptTokens > allowedTokens && isTooLarge(promptTokens, managed),
    "says: a condensation without a summary": condenseId !== undefined && summary === "",
    "says: both an error and a condensation": condenseId !== undefined && error !== undefined,
    "says: a summary that is not there": condenseId !== undefined && !hasMessage("condenseId", condenseId),
    "says: a marker that is not there": truncationId !== undefined && !hasMessage("truncationId", truncationId),
    "says: another size than the view has": sizeTold !== undefined && sizeTold !== promptTokens,
    "says: nothing, and yet the log changed": result.messages !== messages && isUntold,
    "says: a price that is no number": !(Number.isFinite(result.cost) && result.cost >= 0),
  };
  return Object.entries(breaches).flatMap(([breach, isSo]) =>
    isSo ? [`${breach} (${promptTokens} tokens, ${allowedTokens} allowed)`] : [],
  );
}

/** Over the limit, and larger than need be. Where the caller lied about the size, nobody could know. */
function isTooLarge(promptTokens: number, { result, messages, systemTokens, isTrue }: Managed): boolean {
  // When all between has gone, a call that was interrupted may stand in the current turn: so before and after both count.
  const smallest = Math.max(smallestViewTokens(messages), smallestViewTokens(result.messages));
  return isTrue && promptTokens > systemTokens + smallest;
}

/** What is demanded to be seen is seen in the known ones. */
const KNOWN_CASES = 30;
const RUNS = withKnownCases(longRuns(5), { of: managePlan, count: KNOWN_CASES });
/** Each of these lives its conversation twice. */
const TWICE_LIVED = longRuns(10);

describe("manageContext, whatever is said, whatever the model does and whatever the settings", () => {
  test("stays lossless, valid, within its budget and bounded, and never asks a model when that is off", {
    timeout: LONG_TIMEOUT_MS,
  }, async () => {
    const seen = { condensed: 0, failed: 0, truncated: 0 };
    await fc.assert(
      fc.asyncProperty(managePlan, async (plan) => {
        const { breaches, results } = await converse(plan);
        expect(breaches).toEqual([]);
        seen.condensed += results.filter((result) => result.condenseId !== undefined).length;
        seen.failed += results.filter((result) => result.error !== undefined).length;
        seen.truncated += results.filter((result) => result.truncationId !== undefined).length;
      }),
      RUNS,
    );
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(KNOWN_CASES / 10);
  });

  test("gives the same results and asks the same for the same conversation", { timeout: LONG_TIMEOUT_MS }, async () => {
    await fc.assert(
      fc.asyncProperty(managePlan, async (plan) => {
        const [first, second] = [await converse(plan), await converse(structuredClone(plan))];
        expect(JSON.stringify(second.results)).toBe(JSON.stringify(first.results));
        expect(JSON.stringify(second.requests)).toBe(JSON.stringify(first.requests));
      }),
      TWICE_LIVED,
    );
  });
});
