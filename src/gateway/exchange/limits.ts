import type { ModelRegistry } from "../../core/models/registry.ts";
import type { WireLimits, WireName } from "../../core/ports/wire-adapter.ts";
import type { Windows } from "../gateway.ts";
import type { Refusal } from "../turn.ts";

/** The limits of a prompt for a model at an upstream. */
export interface PromptLimits {
  readonly contextWindow: number;
  /** Whether the reply's allowance, as the request names it, must fit the window too. */
  readonly countsReply: boolean;
  /** The most bytes of the whole body; undefined where no limit is known. */
  readonly maxBodyBytes: number | undefined;
  readonly maxImages: number | undefined;
}

/** A model at an upstream. */
export interface TargetModel {
  readonly api: WireName;
  readonly upstream: string;
  readonly modelId: string;
  /** The limits that the API's documentation names. */
  readonly wireLimits?: WireLimits | undefined;
}

/** The size of a prompt that was sent, as we measured it. */
export interface SentPrompt {
  readonly tokens: number;
  readonly bytes: number;
}

/** The limits of the models at each upstream: configured or from the registry, and narrowed by refusals. */
export interface LearnedLimits {
  of(model: TargetModel): PromptLimits;
  /** Learns from a refused prompt: no prompt of that size is sent there again. */
  refused(model: TargetModel, refusal: Refusal, sent: SentPrompt): void;
  /** Learns from an accepted prompt, with the tokens that the upstream counted: raises a limit that was only guessed to at least these. */
  accepted(model: TargetModel, promptTokens: number): void;
}

/** Where a refusal names no limit, the limit is guessed as this share of the refused prompt. */
const GUESSED_SHARE = 0.75;
const SMALLEST_WINDOW = 1_000;
const SMALLEST_BODY_BYTES = 100_000;
/** A prompt that only we counted is surely below a limit if it has less than this share of it. */
const SURE_COUNT_SHARE = 0.75;
/** Limits of more models are forgotten, the oldest first: clients may name any number of models. */
const MOST_MODELS = 1_000;

interface Learned {
  /** The tokens of the largest accepted prompt, as the upstream counts. */
  readonly acceptedTokens?: number;
  readonly countsReply?: boolean;
  readonly window?: { readonly tokens: number; readonly isGuessed: boolean };
  readonly bodyBytes?: number;
}

export function createLearnedLimits(registry: ModelRegistry, windows: Windows = {}): LearnedLimits {
  const learned = new Map<string, Learned>();

  function note(model: TargetModel, news: Learned): void {
    const key = keyOf(model);
    learned.set(key, { ...learned.get(key), ...news });
    const [oldest] = learned.keys();
    if (learned.size > MOST_MODELS && oldest !== undefined) learned.delete(oldest);
  }

  function windowOf({ modelId }: TargetModel): number {
    const own = Object.hasOwn(windows.models ?? {}, modelId) ? windows.models?.[modelId] : undefined;
    return own ?? windows.all ?? registry.tokenLimit(modelId);
  }

  return {
    of: (model) => {
      const { window, bodyBytes, countsReply = false } = learned.get(keyOf(model)) ?? {};
      const { wireLimits = {} } = model;
      return {
        contextWindow: Math.min(windowOf(model), window?.tokens ?? Number.POSITIVE_INFINITY),
        countsReply,
        maxBodyBytes: bodyBytes ?? wireLimits.maxBodyBytes,
        maxImages: wireLimits.maxImages,
      };
    },
    refused: (model, refusal, sent) =>
      note(model, learnFrom(refusal, sent, { windowTokens: windowOf(model), known: learned.get(keyOf(model)) ?? {} })),
    accepted: (model, promptTokens) => {
      const { window, acceptedTokens = 0 } = learned.get(keyOf(model)) ?? {};
      if (promptTokens <= acceptedTokens) return;
      const isAboveGuess = window?.isGuessed === true && promptTokens > window.tokens;
      note(model, {
        acceptedTokens: promptTokens,
        ...(isAboveGuess ? { window: { tokens: promptTokens, isGuessed: true } } : {}),
      });
    },
  };
}

interface KnownLimits {
  /** The configured window, or that of the registry. */
  readonly windowTokens: number;
  readonly known: Learned;
}

/** What a refusal teaches: the limit that it names, else a guess below the size of the refused prompt. */
function learnFrom(refusal: Refusal, sent: SentPrompt, { windowTokens, known }: KnownLimits): Learned {
  switch (refusal.by) {
    case "bytes":
      return { bodyBytes: Math.max(SMALLEST_BODY_BYTES, Math.floor(sent.bytes * GUESSED_SHARE)) };
    case "reply":
      return { window: { tokens: refusal.limitTokens, isGuessed: false }, countsReply: true };
    case "tokens": {
      const { limitTokens, promptTokens = sent.tokens / SURE_COUNT_SHARE } = refusal;
      const { acceptedTokens = 0, window } = known;
      const guess = Math.max(acceptedTokens, Math.floor(Math.min(sent.tokens, windowTokens) * GUESSED_SHARE));
      const tokens = Math.max(SMALLEST_WINDOW, limitTokens ?? Math.min(guess, window?.tokens ?? guess));
      // A prompt below the limit was refused because the reply's allowance counts, too.
      const countsReply = limitTokens !== undefined && promptTokens < limitTokens;
      return { window: { tokens, isGuessed: limitTokens === undefined }, ...(countsReply ? { countsReply } : {}) };
    }
  }
}

function keyOf({ upstream, modelId }: TargetModel): string {
  return `${upstream} ${modelId}`;
}
