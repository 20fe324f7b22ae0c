/** The public API of Palimpsest. */

export { PalimpsestError, type PalimpsestErrorCode } from "./core/errors.ts";
export { cleanupAfterTruncation } from "./core/history/clean-up.ts";
export { type Fold, listFolds } from "./core/history/list-folds.ts";
export { restoreAllMessages, restoreMessages } from "./core/history/restore.ts";
export { trackView, type ViewTracker } from "./core/history/track-view.ts";
export { checkMessages } from "./core/message/check-messages.ts";
export { getEffectiveApiHistory } from "./core/message/effective-view.ts";
export type { FoldKind } from "./core/message/fold-id.ts";
export {
  type Block,
  type BlockFold,
  type BlockFoldKind,
  type Content,
  type CountTokens,
  type ImageBlock,
  type ImageSource,
  isKnownBlock,
  type KnownBlock,
  type Message,
  type ReasoningBlock,
  type TextBlock,
  type ToolResultBlock,
  type ToolUseBlock,
  type UnknownBlock,
} from "./core/message/message.ts";
export {
  detectPairs,
  getPairPartner,
  hasOpenToolUse,
  type PairHalf,
  type ToolPair,
} from "./core/message/tool-pairs.ts";
export { type ViewProblem, type ViewProblemCode, validateView } from "./core/message/validate-view.ts";
export {
  CONDENSE_DEFAULTS,
  type CondenseDefaults,
  type CondenseWith,
} from "./core/models/condense-defaults.ts";
export type {
  LongPromptPrices,
  MeteredPrices,
  ModelEntry,
  ModelPrices,
  TokenPrices,
} from "./core/models/model-entry.ts";
export { priceOf, type TokenUsage } from "./core/models/price.ts";
export {
  condenseDefaults,
  createModelRegistry,
  findModel,
  type ModelRegistry,
  tokenLimit,
} from "./core/models/registry.ts";
export {
  type CondenseThreshold,
  effectiveThreshold,
  MAX_CONDENSE_THRESHOLD,
  MIN_CONDENSE_THRESHOLD,
  type ThresholdSettings,
} from "./core/policy/condense-threshold.ts";
export {
  decideManagement,
  type ManagementDecision,
  type ManagementNumbers,
  willManageContext,
} from "./core/policy/will-manage-context.ts";
export {
  type AllowedTokensOptions,
  allowedTokens,
  DEFAULT_RESERVED_TOKENS,
  TOKEN_BUFFER_PERCENTAGE,
} from "./core/tokens/budget.ts";
export type { Calibration, MessagesSize, ModelCalibration, RawSize } from "./core/tokens/calibration.ts";
export { countContentTokens } from "./core/tokens/count-content.ts";
export { countMessagesTokens, countMessageTokens } from "./core/tokens/count-messages.ts";
export {
  estimateTokenCount,
  estimateTokenCountSync,
  TOKEN_FUDGE_FACTOR,
  type TokenCountingHandler,
  tiktoken,
} from "./core/tokens/estimate.ts";
export {
  type Anchor,
  anchor,
  createForecast,
  type ForecastOptions,
  type ForecastState,
  forecast,
  type Overhead,
  type ReportedUsage,
  rebase,
  type SentMessages,
} from "./core/tokens/forecast.ts";
export { countTextTokens } from "./core/tokens/o200k/count-text-tokens.ts";
export { type ClearOptions, clearToolResults } from "./core/truncate/clear-tool-results.ts";
export { type ClipBlocksOptions, type ClipResult, clipBlocks } from "./core/truncate/clip/clip-blocks.ts";
export { type DedupeOptions, dedupeToolResults } from "./core/truncate/dedupe-tool-results.ts";
export type { FitOptions, TruncationSelection } from "./core/truncate/fit-options.ts";
export type { FitResult } from "./core/truncate/fit-result.ts";
export { foldToFit } from "./core/truncate/fold-to-fit.ts";
export type { BlockFoldResult } from "./core/truncate/tool-results.ts";
export { type TruncationResult, truncateConversation } from "./core/truncate/truncate-conversation.ts";
export { truncateToFit } from "./core/truncate/truncate-to-fit.ts";
