import { assertNumber, assertObject } from "../assert.ts";
import type { CountTokens, Message } from "../message/message.ts";
import {
  type Calibration,
  calibrate,
  calibrateMessages,
  checkCalibration,
  createCalibration,
  learn,
  learnWithDoubt,
  type MessagesSize,
  type ModelCalibration,
  type RawSize,
  shiftRatio,
} from "./calibration.ts";
import { countContentTokens } from "./count-content.ts";
import { type MeasuredMessages, measure, merge } from "./measure-messages.ts";

/** Everything needed to predict the size of the next prompt: a small object that can be stored as JSON. */
export interface ForecastState {
  readonly calibration: ModelCalibration;
  /** The last prompt whose size is known; absent before the first report and after {@link rebase}. */
  readonly anchor?: Anchor;
  /** What system prompt and tool definitions cost. */
  readonly overhead: Overhead;
}

/** A prompt that was sent, with its size. */
export interface Anchor {
  readonly promptTokens: number;
  /** Who counted it. `forecast` means that the provider's report could not be read; nothing is learned from such an anchor. */
  readonly countedBy: "provider" | "forecast";
  /** The size of the reply to that prompt, as reported. */
  readonly replyTokens?: number;
}

export type Overhead =
  /** By our own count. */
  | { readonly type: "counted"; readonly tokens: number }
  /** Derived from a reported prompt: the tokens that its messages do not explain are overhead. */
  | { readonly type: "measured"; readonly promptTokens: number; readonly messages: MessagesSize };

/**
 * What the provider reported for one request. The prompt is the sum of the first three, so each token must be in one of
 * them only. Anthropic reports them apart. OpenAI's `prompt_tokens` and Gemini's `promptTokenCount` are the sum already:
 * give it as `inputTokens`, with or without the cached part moved to `cacheReadTokens`.
 */
export interface ReportedUsage {
  readonly inputTokens: number;
  /** @default 0 */
  readonly cacheReadTokens?: number;
  /** @default 0 */
  readonly cacheWriteTokens?: number;
  /**
   * The tokens of the reply that the next prompt repeats: with reasoning where it is sent back (Anthropic), without where
   * the provider drops it (subtract OpenAI's and Gemini's reasoning tokens). A value far below the visible reply, such as the
   * first report of a stream, is ignored.
   */
  readonly outputTokens?: number;
  /** Output that was billed and is not in the next prompt: reasoning that the provider drops. @default 0 */
  readonly reasoningTokens?: number;
}

export interface ForecastOptions {
  /** The calibration of an earlier session with this model. @default none */
  readonly calibration?: ModelCalibration;
  /** The first guess without a calibration: the model's tokens for one of ours. @default 1 */
  readonly tokenRatio?: number;
  /** Our count of system prompt and tool definitions. @default 0 */
  readonly overheadTokens?: number;
}

/** The messages that a request added to the one before it, and how to count them. */
export interface SentMessages {
  /** The messages since the last anchored prompt, the reply to it first; all messages where there is no anchor. */
  readonly newMessages: readonly Message[];
  /** @default countContentTokens */
  readonly countTokens?: CountTokens;
}

/**
 * A forecast that has seen no request yet.
 * @example
 * ```ts
 * import { createForecast, forecast } from "palimpsest/core";
 * const state = createForecast({ overheadTokens: 1_000 });
 * console.log(forecast(state, [{ role: "user", content: "Why does it blink?" }])); // 1009
 * ```
 */
export function createForecast(options: ForecastOptions = {}): ForecastState {
  assertObject("options", options);
  const { tokenRatio = 1, overheadTokens = 0 } = options;
  assertNumber("overheadTokens", overheadTokens, 0);
  const fresh = createCalibration(tokenRatio);
  const { calibration = { input: fresh, reply: fresh } } = options;
  checkCalibration(calibration);
  return { calibration, overhead: { type: "counted", tokens: overheadTokens } };
}

/**
 * The size of the next prompt in tokens: the last reported one plus what came after it. Without an anchor, `newMessages`
 * is the whole conversation and the learned overhead is added. Costs what counting `newMessages` costs.
 * @default countTokens countContentTokens
 * @example
 * ```ts
 * import { anchor, createForecast, forecast } from "palimpsest/core";
 * const state = anchor(createForecast(), { inputTokens: 12_000, outputTokens: 300 });
 * console.log(forecast(state, []), forecast(state, [{ role: "user", content: "And then?" }])); // 12000 12007
 * ```
 */
export function forecast(
  state: ForecastState,
  newMessages: readonly Message[],
  countTokens: CountTokens = countContentTokens,
): number {
  checkState(state);
  return forecastMeasured(state, measure(newMessages, countTokens));
}

/** {@link forecast} for messages that were measured before. */
export function forecastMeasured(state: ForecastState, { reply, rest }: MeasuredMessages): number {
  const { anchor, calibration } = state;
  const tokens =
    anchor === undefined
      ? overheadOf(state) + calibrateMessages(calibration, merge(reply, rest))
      : anchor.promptTokens + replySize(state, reply).tokens + calibrateMessages(calibration, rest);
  return Math.ceil(tokens);
}

/**
 * Records the provider's report on a request: its prompt becomes the anchor. With `sent`, also learns from the messages that the
 * request added. Rewritten prompts, shrunk prompts and unreadable reports teach nothing.
 * @example
 * ```ts
 * import { anchor, createForecast } from "palimpsest/core";
 * const state = anchor(createForecast(), { inputTokens: 2_000, cacheReadTokens: 10_000 });
 * console.log(state.anchor?.promptTokens, state.anchor?.countedBy); // 12000 provider
 * ```
 */
export function anchor(state: ForecastState, usage: ReportedUsage, sent?: SentMessages): ForecastState {
  checkState(state);
  assertObject("usage", usage);
  if (sent !== undefined) assertObject("sent", sent);
  const promptTokens = reportedPromptTokens(usage);
  if (promptTokens === undefined) return anchorByForecast(state, usage, sent);
  const next: Anchor = { promptTokens, countedBy: "provider", ...reportedReply(usage) };
  if (sent === undefined) return { ...state, anchor: next };
  const measured = measure(sent.newMessages, sent.countTokens);
  if (state.anchor === undefined) {
    const messages = merge(measured.reply, measured.rest);
    return { ...state, anchor: next, overhead: { type: "measured", promptTokens, messages } };
  }
  return { ...state, anchor: next, calibration: learnFrom(state, promptTokens, measured) };
}

/** How far off our count of system prompt and tools may be: providers render them in their own formats, and add some words. */
const OVERHEAD_DOUBT_SHARE = 0.2;
const OVERHEAD_DOUBT_TOKENS = 500;

/**
 * Learns from the first report on a prompt whose overhead we counted: the difference to the forecast is divided between the model's
 * ratio and the overhead in proportion to their variances. In a long conversation, nearly all of it goes to the ratio. Returns the same
 * state where there is an anchor already, or nothing to learn from.
 */
export function learnFirst(state: ForecastState, promptTokens: number, measured: MeasuredMessages): ForecastState {
  const { calibration, overhead, anchor } = state;
  const { input, reply } = merge(measured.reply, measured.rest);
  const messageTokens = input.tokens + reply.tokens;
  if (anchor !== undefined || overhead.type !== "counted" || messageTokens === 0) return state;
  const messageDoubt = calibration.input.variance.ratio * messageTokens ** 2;
  const overheadDoubt = (OVERHEAD_DOUBT_SHARE * overheadOf(state) + OVERHEAD_DOUBT_TOKENS) ** 2;
  const learnedShare = messageDoubt / (messageDoubt + overheadDoubt);
  const forecastError = promptTokens - forecastMeasured(state, measured);
  const added = (forecastError * learnedShare) / messageTokens;
  return { ...state, calibration: shiftRatio(calibration, { added, learnedShare }) };
}

/**
 * Removes the anchor, for a prompt that was rewritten (by a fold, a restore or a rewind). The calibration and the overhead stay.
 * @example
 * ```ts
 * import { anchor, createForecast, rebase } from "palimpsest/core";
 * const state = anchor(createForecast(), { inputTokens: 12_000 });
 * console.log(rebase(state).anchor); // undefined
 * ```
 */
export function rebase(state: ForecastState): ForecastState {
  checkState(state);
  return { calibration: state.calibration, overhead: state.overhead };
}

/**
 * The state for the same conversation with another system prompt or other tools, which are `addedTokens` of our tokens longer (or, if
 * negative, shorter) than those of the state.
 */
export function shiftOverhead(state: ForecastState, addedTokens: number): ForecastState {
  if (addedTokens === 0) return state;
  const { anchor, overhead } = state;
  const shifted = (promptTokens: number) => Math.max(0, promptTokens + addedTokens * state.calibration.input.ratio);
  return {
    ...state,
    overhead:
      overhead.type === "counted"
        ? { ...overhead, tokens: Math.max(0, overhead.tokens + addedTokens) }
        : { ...overhead, promptTokens: shifted(overhead.promptTokens) },
    ...(anchor === undefined ? {} : { anchor: { ...anchor, promptTokens: shifted(anchor.promptTokens) } }),
  };
}

/** Throws "invalid-argument" unless this is a state: callers may have read it from a file. */
function checkState(state: ForecastState): void {
  assertObject("state", state);
  checkCalibration(state.calibration);
  assertObject("state.overhead", state.overhead);
}

// computed at each forecast, not when it is measured: a better calibration splits the measured prompt better
function overheadOf({ calibration, overhead }: ForecastState): number {
  switch (overhead.type) {
    case "counted":
      return calibrate(calibration.input, { tokens: overhead.tokens, blocks: 0 });
    case "measured":
      return Math.max(0, overhead.promptTokens - calibrateMessages(calibration, overhead.messages));
  }
}

function learnFrom(state: ForecastState, promptTokens: number, { reply, rest }: MeasuredMessages): ModelCalibration {
  const { anchor, calibration } = state;
  const grownTokens = promptTokens - (anchor?.promptTokens ?? promptTokens);
  if (anchor?.countedBy !== "provider" || grownTokens <= 0) return calibration;
  if (rest.reply.blocks > 0) return learnTogether(calibration, merge(reply, rest), grownTokens);
  const { tokens: replyTokens, countedBy } = replySize(state, reply);
  if (countedBy === "provider") {
    // not all of the reply came back: the provider dropped its reasoning
    if (grownTokens < replyTokens) return calibration;
    return {
      input: learnWithDoubt(calibration.input, rest.input, grownTokens - replyTokens),
      reply: learn(calibration.reply, reply, replyTokens),
    };
  }
  // neither part was reported: the growth can be attributed to one of them only where the other is small
  const inputTokens = calibrate(calibration.input, rest.input);
  if (replyTokens < SMALL_SHARE * grownTokens) {
    return { ...calibration, input: learnWithDoubt(calibration.input, rest.input, grownTokens - replyTokens) };
  }
  if (inputTokens < SMALL_SHARE * grownTokens) {
    return { ...calibration, reply: learnWithDoubt(calibration.reply, reply, grownTokens - inputTokens) };
  }
  return calibration;
}

/** Learns from the growth of several turns since the last report, divided between input and replies as the forecast expects. */
function learnTogether(calibration: ModelCalibration, size: MessagesSize, grownTokens: number): ModelCalibration {
  const factor = grownTokens / Math.max(1, calibrateMessages(calibration, size));
  const learnPart = (part: Calibration, grown: RawSize) => learnWithDoubt(part, grown, calibrate(part, grown) * factor);
  return { input: learnPart(calibration.input, size.input), reply: learnPart(calibration.reply, size.reply) };
}

const SMALL_SHARE = 0.2;

// some agents record only the first usage report of a stream, which counts a few tokens of a long reply
const LEAST_BELIEVABLE_SHARE = 0.4;

function replySize(
  { anchor, calibration }: ForecastState,
  reply: RawSize,
): Pick<Anchor, "countedBy"> & { tokens: number } {
  const counted = calibrate(calibration.reply, reply);
  const reported = anchor?.replyTokens;
  if (reply.blocks === 0 || reported === undefined || reported < LEAST_BELIEVABLE_SHARE * counted) {
    return { tokens: counted, countedBy: "forecast" };
  }
  return { tokens: reported, countedBy: "provider" };
}

function anchorByForecast(state: ForecastState, usage: ReportedUsage, sent: SentMessages | undefined): ForecastState {
  if (sent === undefined) return state;
  const promptTokens = forecast(state, sent.newMessages, sent.countTokens);
  return { ...state, anchor: { promptTokens, countedBy: "forecast", ...reportedReply(usage) } };
}

/** The tokens of the whole prompt; undefined where the report is not valid. */
export function reportedPromptTokens(usage: ReportedUsage): number | undefined {
  const { inputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage;
  const parts = [inputTokens, cacheReadTokens, cacheWriteTokens];
  const total = inputTokens + cacheReadTokens + cacheWriteTokens;
  return parts.every((part) => typeof part === "number" && part >= 0) && isTokenCount(total) ? total : undefined;
}

function reportedReply({ outputTokens = 0 }: ReportedUsage): Pick<Anchor, "replyTokens"> {
  return isTokenCount(outputTokens) ? { replyTokens: outputTokens } : {};
}

/** Beyond the safe integers, sums of reports would overflow; no prompt is that long. */
function isTokenCount(value: number): boolean {
  return typeof value === "number" && value > 0 && value <= Number.MAX_SAFE_INTEGER;
}
