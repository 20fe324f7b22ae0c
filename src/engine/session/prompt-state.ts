import { assert, assertArray, assertObject } from "../../core/assert.ts";
import type { CountTokens } from "../../core/message/message.ts";
import type { ModelRegistry } from "../../core/models/registry.ts";
import { countTextTokens } from "../../core/tokens/o200k/count-text-tokens.ts";
import { serialize } from "../../core/tokens/serialize.ts";
import type { LearnedLimit } from "./learned-limit.ts";
import { createPromptMeter, type PromptMeter } from "./prompt-meter.ts";
import type { SessionPrompt } from "./session.ts";
import { type ModelChoice, resolveModel, type SessionModel } from "./session-model.ts";

/** The model and the prompt that a session's view is sent to and with, and what is known of their tokens. */
export interface PromptState {
  model(): SessionModel;
  systemPrompt(): string;
  meter(): PromptMeter;
  /** Our count of what is sent beside the view. */
  overheadParts(): OverheadParts;
  /** The model's tokens for one of ours. */
  tokenRatio(): number;
  usePrompt(next: SessionPrompt): void;
  useModel(next: ModelChoice): void;
  /** Goes on with what a refusal told of the model. */
  learnLimit(learned: LearnedLimit): void;
  /** The log holds another ratio by now, maybe from someone else. */
  calibrated(): void;
  /** The view is no longer what it was. */
  rewritten(): void;
}

export interface OverheadParts {
  readonly systemTokens: number;
  readonly toolTokens: number;
}

export interface PromptStateOptions {
  readonly choice: ModelChoice;
  readonly prompt: SessionPrompt;
  readonly registry: ModelRegistry;
  readonly countTokens: CountTokens;
  /** The ratio that the log holds for a model. */
  readonly learnedRatio: (modelId: string) => number | undefined;
}

export function createPromptState({
  choice,
  registry,
  countTokens,
  learnedRatio,
  ...options
}: PromptStateOptions): PromptState {
  let prompt = readPrompt(options.prompt);
  let overhead = overheadOf(prompt);
  const overheadTokens = () => overhead.systemTokens + overhead.toolTokens;
  let chosen = choice;
  let model = resolveModel(chosen, registry);
  let tokenFactor = 1;
  let meter = createPromptMeter({ ...model, countTokens, overheadTokens: overheadTokens() });
  let isStale = false;
  const tokenRatio = () => (learnedRatio(model.id) ?? model.tokenRatio) * tokenFactor;
  const newMeter = () =>
    createPromptMeter({ ...model, tokenRatio: tokenRatio(), countTokens, overheadTokens: overheadTokens() });
  const currentMeter = () => {
    if (isStale) meter = newMeter();
    isStale = false;
    return meter;
  };
  return {
    model: () => model,
    systemPrompt: () => prompt.systemPrompt,
    meter: currentMeter,
    overheadParts: () => overhead,
    tokenRatio,
    usePrompt: (next) => {
      assertObject("prompt", next);
      prompt = readPrompt({ ...prompt, ...next });
      overhead = overheadOf(prompt);
      currentMeter().useOverhead(overheadTokens());
    },
    useModel: (next) => {
      model = resolveModel(next, registry);
      chosen = next;
      tokenFactor = 1;
      meter = newMeter();
    },
    learnLimit: (learned) => {
      chosen = { ...chosen, contextWindow: learned.contextWindow };
      model = resolveModel(chosen, registry);
      tokenFactor *= learned.tokenFactor;
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

function overheadOf({ systemPrompt = "", tools = [] }: SessionPrompt): OverheadParts {
  const toolTokens = tools.length === 0 ? 0 : countTextTokens(serialize(tools));
  return { systemTokens: countTextTokens(systemPrompt), toolTokens };
}
