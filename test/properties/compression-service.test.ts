/** What always holds of ChatCompressionService, over random conversations, models and windows. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { getEffectiveApiHistory } from "../../src/core/message/effective-view.ts";
import type { Message } from "../../src/core/message/message.ts";
import {
  type ChatCompressionResult,
  ChatCompressionService,
  type CompressionStatus,
} from "../../src/engine/chat-compression-service.ts";
import { DEFAULT_MAX_MODEL_CALLS } from "../../src/engine/condense/condensation-run.ts";
import { deepFreeze } from "../support/messages.ts";
import type { Labels } from "./conversations.ts";
import { buildEpisode, type Episode, episode, labels, opening } from "./long-conversations.ts";
import { LONG_TIMEOUT_MS, longRuns, withKnownCases } from "./long-runs.ts";
import { condensingWindow, type ModelPlan, script, scriptedModel } from "./model-behaviours.ts";
import { logBreaches, requestBreaches, restoreBreaches, terminating, viewTokens } from "./promises.ts";

/** Episodes are made for a window of this size; the service itself goes by the model's name. */
const EPISODE_WINDOW = 12_000;

interface CompressPlan {
  readonly labels: Labels;
  readonly opening: Episode;
  readonly rounds: readonly Round[];
  readonly model: ModelPlan;
  readonly threshold: number;
  readonly picks: readonly number[];
}

interface Round {
  readonly episodes: readonly Episode[];
  readonly force: boolean;
  readonly originalTokenCount: number | undefined;
  readonly pendingRequestTokens: number;
  readonly hasFailedCompressionAttempt: boolean;
  /** What the counter of the history does. */
  readonly counting: "counts" | "throws" | "is no number";
}

const round: fc.Arbitrary<Round> = fc.record({
  episodes: fc.array(episode(EPISODE_WINDOW), { minLength: 1, maxLength: 3 }),
  force: fc.boolean(),
  originalTokenCount: fc.constantFrom(undefined, undefined, undefined, 0, 190_000, 1e9),
  pendingRequestTokens: fc.constantFrom(0, 0, 500, 1e7),
  hasFailedCompressionAttempt: fc.constantFrom(false, false, false, true),
  counting: fc.constantFrom("counts", "counts", "counts", "counts", "counts", "throws", "is no number"),
});

const compressPlan: fc.Arbitrary<CompressPlan> = fc.record({
  labels,
  opening: opening(EPISODE_WINDOW),
  rounds: fc.array(round, { minLength: 1, maxLength: 5, size: "max" }),
  model: fc.record({ script, contextWindow: condensingWindow }),
  threshold: fc.constantFrom(0, 0.01, 0.05, 0.5),
  picks: fc.array(fc.nat(), { minLength: 1, maxLength: 6 }),
});

interface CompressRun {
  readonly breaches: readonly string[];
  readonly results: readonly ChatCompressionResult[];
  readonly requests: readonly unknown[];
}

async function compressRounds(plan: CompressPlan): Promise<CompressRun> {
  const handler = scriptedModel(plan.model);
  const breaches: string[] = [];
  const results: ChatCompressionResult[] = [];
  let original: readonly Message[] = [];
  let messages: readonly Message[] = [];
  let firstTurn = 0;
  for (const [index, { episodes, counting, ...request }] of plan.rounds.entries()) {
    for (const each of index === 0 ? [plan.opening, ...episodes] : episodes) {
      const added = deepFreeze(buildEpisode(each, { firstTurn, labels: plan.labels }));
      firstTurn += each.turns.length;
      original = [...original, ...added];
      messages = [...messages, ...added];
    }
    const service = new ChatCompressionService({
      handlerFor: () => handler,
      threshold: plan.threshold,
      timeoutMs: 5,
      ...(counting === "counts" ? {} : { countHistory: () => (counting === "throws" ? fail() : Number.NaN) }),
    });
    const { originalTokenCount, ...rest } = request;
    const asked = handler.asked.length;
    const result = await terminating(
      service.compress({
        ...rest,
        messages,
        model: "scripted",
        taskId: "task",
        ...(originalTokenCount === undefined ? {} : { originalTokenCount }),
      }),
    );
    const calls = handler.asked.length - asked;
    results.push(result);
    breaches.push(...logBreaches(result.messages, original), ...resultBreaches(result, { messages, calls }));
    messages = result.messages;
    if (breaches.length > 0) break;
  }
  breaches.push(...requestBreaches(handler.asked, plan.model.contextWindow));
  breaches.push(...restoreBreaches(messages, original, plan.picks));
  return { breaches, results, requests: handler.asked.map((each) => [each.systemPrompt, each.messages]) };
}

function fail(): never {
  throw new Error("cannot count");
}

interface Compressed {
  /** The log before. */
  readonly messages: readonly Message[];
  readonly calls: number;
}

function resultBreaches(
  { messages, newHistory, info }: ChatCompressionResult,
  { messages: before, calls }: Compressed,
): readonly string[] {
  const isCompressed = info.compressionStatus === "COMPRESSED";
  const view = JSON.stringify(getEffectiveApiHistory(messages));
  const breaches = {
    "bounded: too many model calls": calls > DEFAULT_MAX_MODEL_CALLS,
    "off: a model was asked, and nothing is said of it": calls > 0 && info.compressionStatus === "NOOP",
    "untouched: it failed, and yet the log changed": !isCompressed && (messages !== before || newHistory !== null),
    "says: no new history": isCompressed && JSON.stringify(newHistory) !== view,
    "says: another size than the view has": isCompressed && info.newTokenCount !== viewTokens(messages),
    "shrinks: it grew": isCompressed && info.newTokenCount > info.originalTokenCount,
    "says: a price that is no number": !(Number.isFinite(info.cost) && info.cost >= 0),
  };
  return Object.entries(breaches).flatMap(([breach, isSo]) => (isSo ? [`${breach} ${JSON.stringify(info)}`] : []));
}

/** What is demanded to be seen is seen in the known ones. */
const KNOWN_CASES = 40;
const RUNS = withKnownCases(longRuns(4), { of: compressPlan, count: KNOWN_CASES });
/** Each of these lives its conversation twice. */
const TWICE_LIVED = longRuns(10);

describe("ChatCompressionService, whatever is said and whatever the model does", () => {
  test("stays lossless, valid and bounded, never grows, and leaves the log alone when it fails", {
    timeout: LONG_TIMEOUT_MS,
  }, async () => {
    const seen = new Map<CompressionStatus, number>();
    await fc.assert(
      fc.asyncProperty(compressPlan, async (plan) => {
        const { breaches, results } = await compressRounds(plan);
        expect(breaches).toEqual([]);
        for (const { info } of results) seen.set(info.compressionStatus, (seen.get(info.compressionStatus) ?? 0) + 1);
      }),
      RUNS,
    );
    expect(seen.size).toBe(5);
    expect(seen.get("COMPRESSED")).toBeGreaterThan(KNOWN_CASES / 10);
  });

  test("gives the same results and asks the same for the same conversation", { timeout: LONG_TIMEOUT_MS }, async () => {
    await fc.assert(
      fc.asyncProperty(compressPlan, async (plan) => {
        const [first, second] = [await compressRounds(plan), await compressRounds(structuredClone(plan))];
        expect(JSON.stringify(second.results)).toBe(JSON.stringify(first.results));
        expect(JSON.stringify(second.requests)).toBe(JSON.stringify(first.requests));
      }),
      TWICE_LIVED,
    );
  });
});
