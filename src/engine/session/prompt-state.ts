import { assert, assertArray, assertObject } from "../../core/assert.ts";
import type { CountTokens } from "../../core/message/message.ts";
import type { ModelRegistry } from "../../core/models/registry.ts";
import { createForecast, shiftOverhead } from "../../core/tokens/forecast.ts";
import { countTextTokens } from "../../core/tokens/o200k/count-text-tokens.ts";
import { serialize } from "../../core/tokens/serialize.ts";
import type { LearnedLimit } from "./learned-limit.ts";
import { type LearnedTokens, ratioOf } from "./learned-tokens.ts";
import { createPromptMeter, type KnownForecast, type PromptMeter } from "./prompt-meter.ts";
import type { SessionPrompt } from "./session.ts";
import { type ModelChoice, resolveModel, type SessionModel } from "./session-model.ts";

/** A session's model, system prompt and tools, and what was learned about their tokens. */
export interface PromptState {
  model(): SessionModel;
  systemPrompt(): string;
  meter(): PromptMeter;
  /** Our count of the system prompt, and of the tool definitions. */
  overhead(): PromptOverhead;
  /** The forecast for this session's prompts, from what was learned of its model. */
  forecastBy(learned: LearnedTokens | undefined): KnownForecast;
  usePrompt(next: SessionPrompt): void;
  useModel(next: ModelChoice): void;
  /** Goes on with the window and the token factor that a "too long" error taught. */
  learnLimit(learned: LearnedLimit): void;
  /** Called when the records teach something new about the model, maybe from another process. */
  calibrated(): void;
  /** Called when the view was rewritten. */
  rewritten(): void;
}

export interface PromptStateOptions {
  readonly choice: ModelChoice;
  readonly prompt: SessionPrompt;
  readonly registry: ModelRegistry;
  readonly countTokens: CountTokens;
  /** What the session's records teach about a model. */
  readonly learned: (modelId: string) => LearnedTokens | undefined;
}

export interface PromptOverhead {
  readonly systemTokens: number;
  readonly toolTokens: number;
}

export function createPromptState({
  choice,
  registry,
  countTokens,
  learned,
  ...options
}: PromptStateOptions): PromptState {
  let prompt = readPrompt(options.prompt);
  let chosen = choice;
  let model = resolveModel(chosen, registry);
  let tokenFactor = 1;
  let overhead = overheadOf(prompt);
  let isStale = false;
  const forecastBy = (tokens: LearnedTokens | undefined): KnownForecast => {
    const overheadTokens = sumOf(overhead);
    // After a "too long" error has taught a factor, anchors from earlier reports are too small.
    if (tokens?.type === "anchored" && tokenFactor === 1) {
      const { forecast, viewMessages } = tokens;
      return { state: shiftOverhead(forecast, overheadTokens - sumOf(tokens)), viewMessages };
    }
    const tokenRatio = (ratioOf(tokens) ?? model.tokenRatio) * tokenFactor;
    return { state: createForecast({ tokenRatio, overheadTokens }), viewMessages: 0 };
  };
  const newMeter = () =>
    createPromptMeter({
      ...model,
      start: forecastBy(learned(model.id)),
      countTokens,
      overheadTokens: sumOf(overhead),
    });
  let meter = newMeter();
  const currentMeter = () => {
    if (isStale) meter = newMeter();
    isStale = false;
    return meter;
  };
  return {
    model: () => model,
    systemPrompt: () => prompt.systemPrompt,
    meter: currentMeter,
    overhead: () => overhead,
    forecastBy,
    usePrompt: (next) => {
      assertObject("prompt", next, '{ systemPrompt: "You look after a harbour." }');
      prompt = readPrompt({ ...prompt, ...next });
      overhead = overheadOf(prompt);
      // An anchor in the records is shifted to the new overhead. Reports that were only observed are forgotten.
      if (learned(model.id)?.type === "anchored") isStale = true;
      else currentMeter().useOverhead(sumOf(overhead));
    },
    useModel: (next) => {
      model = resolveModel(next, registry);
      chosen = next;
      tokenFactor = 1;
      meter = newMeter();
    },
    learnLimit: (limit) => {
      chosen = { ...chosen, contextWindow: limit.contextWindow };
      model = resolveModel(chosen, registry);
      tokenFactor *= limit.tokenFactor;
      meter = newMeter();
    },
    calibrated: () => {
      isStale = true;
    },
    rewritten: () => {
      meter.recount();
    },
  };
}

function readPrompt({
  systemPrompt = "",
  tools = [],
}: SessionPrompt): Required<SessionPrompt> & { readonly systemPrompt: string } {
  assert(typeof systemPrompt === "string", "options.systemPrompt", systemPrompt, "a string");
  assertArray("options.tools", tools);
  return { systemPrompt, tools };
}

function overheadOf({ systemPrompt = "", tools = [] }: SessionPrompt): PromptOverhead {
  const toolTokens = tools.length === 0 ? 0 : countTextTokens(serialize(tools));
  return { systemTokens: countTextTokens(systemPrompt), toolTokens };
}

function sumOf({ systemTokens, toolTokens }: PromptOverhead): number {
  return systemTokens + toolTokens;
}
