import { assert, assertNumber, assertObject } from "../assert.ts";

/** Estimates a provider's count from ours: `ratio · tokens + perBlock · blocks`. Plain data, kept for each model. */
export interface Calibration {
  readonly ratio: number;
  readonly perBlock: number;
  /** The variances of `ratio` and `perBlock`, and their covariance (`both`): how far a sample may still move them. */
  readonly variance: { readonly ratio: number; readonly perBlock: number; readonly both: number };
  /** How many samples in a row were ignored as outliers. */
  readonly doubted: number;
}

/** The size of some content by our own count. */
export interface RawSize {
  readonly tokens: number;
  readonly blocks: number;
}

/** What was learned about one model, to be reused in its next session. */
export interface ModelCalibration {
  /** For messages of people and tools. */
  readonly input: Calibration;
  /** For messages of the model, hidden reasoning included. */
  readonly reply: Calibration;
}

/** The size of some messages by our own count: those of people and tools, and those of the model. */
export interface MessagesSize {
  readonly input: RawSize;
  readonly reply: RawSize;
}

// how far off the first guess may be: 0.2 tokens per token, and 20 per block (a tool call can cost 70 on top of its text)
const FIRST_PER_BLOCK = 4;
const FIRST_VARIANCE = { ratio: 0.04, perBlock: 400, both: 0 } as const;

// follows a tokenizer that changes behind a model alias: after about 70 more samples, a sample weighs half
const FORGETTING = 0.99;

// the expected noise of a sample: a few tokens, and a part in proportion to its size, because code, prose and JSON differ
const SCATTER_TOKENS = 10;
const SCATTER_PER_TOKEN = 20;

const RATIO_RANGE = { min: 0.25, max: 4 } as const;
const PER_BLOCK_RANGE = { min: -32, max: 256 } as const;

/**
 * A calibration that has learned nothing yet.
 * @default ratio 1
 */
export function createCalibration(ratio = 1): Calibration {
  assert(Number.isFinite(ratio) && ratio > 0, "tokenRatio", ratio, "a number above 0");
  return { ratio: clamp(ratio, RATIO_RANGE), perBlock: FIRST_PER_BLOCK, variance: FIRST_VARIANCE, doubted: 0 };
}

/** Throws "invalid-argument" unless this is a calibration: callers may have read it from a file. */
export function checkCalibration(calibration: ModelCalibration): void {
  assertObject("calibration", calibration);
  for (const part of ["input", "reply"] as const) {
    assertObject(`calibration.${part}`, calibration[part]);
    assertNumber(`calibration.${part}.ratio`, calibration[part].ratio);
    assertNumber(`calibration.${part}.perBlock`, calibration[part].perBlock);
    assertObject(`calibration.${part}.variance`, calibration[part].variance);
  }
}

/** Adds `added` to both ratios and reduces their variance by `learnedShare`. */
export function shiftRatio(
  { input, reply }: ModelCalibration,
  { added, learnedShare }: { readonly added: number; readonly learnedShare: number },
): ModelCalibration {
  const shifted = (part: Calibration): Calibration => ({
    ...part,
    ratio: clamp(part.ratio + added, RATIO_RANGE),
    variance: bounded({ ...part.variance, ratio: part.variance.ratio * (1 - learnedShare) }),
  });
  return { input: shifted(input), reply: shifted(reply) };
}

/** More digits than calibration is ever exact to. */
const KEPT_DIGITS = 6;

/** The calibration with its numbers rounded, because it is stored after each report. */
export function roundCalibration({ input, reply }: ModelCalibration): ModelCalibration {
  return { input: rounded(input), reply: rounded(reply) };
}

function rounded({ ratio, perBlock, variance, doubted }: Calibration): Calibration {
  const short = (value: number) => Number(value.toPrecision(KEPT_DIGITS));
  return {
    ratio: short(ratio),
    perBlock: short(perBlock),
    variance: { ratio: short(variance.ratio), perBlock: short(variance.perBlock), both: short(variance.both) },
    doubted,
  };
}

/** Our estimate of the provider's count: never negative, 0 for nothing. */
export function calibrate(calibration: Calibration, size: RawSize): number {
  return Math.max(0, calibration.ratio * size.tokens + calibration.perBlock * size.blocks);
}

/** Our estimate of the provider's count of whole messages. */
export function calibrateMessages(calibration: ModelCalibration, size: MessagesSize): number {
  return calibrate(calibration.input, size.input) + calibrate(calibration.reply, size.reply);
}

/** Updates the calibration with one sample, content that the provider counted as `reportedTokens` (recursive least squares). */
export function learn(calibration: Calibration, size: RawSize, reportedTokens: number): Calibration {
  return isUsable(size, reportedTokens) ? update(calibration, size, reportedTokens) : calibration;
}

/**
 * Like {@link learn}, for a report that may cover more than this content, such as the growth of a prompt: an outlier is ignored unless
 * three in a row came before it.
 */
export function learnWithDoubt(calibration: Calibration, size: RawSize, reportedTokens: number): Calibration {
  if (!isUsable(size, reportedTokens)) return calibration;
  const isDoubtful = isFarOff(calibrate(calibration, size), reportedTokens);
  if (isDoubtful && calibration.doubted < DOUBTS_BEFORE_BELIEF) {
    return { ...calibration, doubted: calibration.doubted + 1 };
  }
  return { ...update(calibration, size, reportedTokens), doubted: 0 };
}

function isUsable(size: RawSize, reportedTokens: number): boolean {
  return size.tokens > 0 && reportedTokens > 0 && Number.isFinite(reportedTokens);
}

const DOUBTS_BEFORE_BELIEF = 3;

function isFarOff(expectedTokens: number, reportedTokens: number): boolean {
  const isLarge = Math.abs(reportedTokens - expectedTokens) > 60;
  return isLarge && (reportedTokens > 2 * expectedTokens || 2 * reportedTokens < expectedTokens);
}

function update(calibration: Calibration, { tokens, blocks }: RawSize, reportedTokens: number): Calibration {
  const { ratio, perBlock, variance } = calibration;
  const expected = ratio * tokens + perBlock * blocks;
  const scatter = SCATTER_TOKENS ** 2 + SCATTER_PER_TOKEN * Math.max(0, expected);
  const alongRatio = variance.ratio * tokens + variance.both * blocks;
  const alongBlock = variance.both * tokens + variance.perBlock * blocks;
  const total = FORGETTING * scatter + tokens * alongRatio + blocks * alongBlock;
  const surprise = reportedTokens - expected;
  return {
    ...calibration,
    ratio: clamp(ratio + (alongRatio / total) * surprise, RATIO_RANGE),
    perBlock: clamp(perBlock + (alongBlock / total) * surprise, PER_BLOCK_RANGE),
    variance: bounded({
      ratio: (variance.ratio - alongRatio ** 2 / total) / FORGETTING,
      perBlock: (variance.perBlock - alongBlock ** 2 / total) / FORGETTING,
      both: (variance.both - (alongRatio * alongBlock) / total) / FORGETTING,
    }),
  };
}

// without a bound, FORGETTING lets the variance grow as long as samples bring nothing new
function bounded(variance: Calibration["variance"]): Calibration["variance"] {
  const ratio = clamp(variance.ratio, { min: 1e-9, max: FIRST_VARIANCE.ratio });
  const perBlock = clamp(variance.perBlock, { min: 1e-6, max: FIRST_VARIANCE.perBlock });
  const most = 0.999 * Math.sqrt(ratio * perBlock);
  return { ratio, perBlock, both: clamp(variance.both, { min: -most, max: most }) };
}

function clamp(value: number, { min, max }: { readonly min: number; readonly max: number }): number {
  return Math.min(max, Math.max(min, value));
}
