/** The pure functions: messages, folds, tokens, models, policies and recall, without an engine. */

export { HYBRID_PARTS, HYBRID_PROMPT } from "./condense/hybrid/hybrid-prompt.ts";
export { type CompactOptions, compact } from "./condense/ledger/compact.ts";
export { type LedgerTerms, type LedgerTermsOptions, ledgerTerms } from "./condense/ledger/ledger-terms.ts";
export type {
  BlockTerm,
  IdentifierTerm,
  LedgerWeights,
  LineTerm,
  TermWeights,
} from "./condense/ledger/ledger-weights.ts";
export { type ParsedSnapshot, parseSnapshot, type SnapshotParts } from "./condense/snapshot/parse-snapshot.ts";
export { COMPRESSION_PRESERVE_THRESHOLD } from "./condense/snapshot/plan-snapshot.ts";
export { SNAPSHOT_PROMPT } from "./condense/snapshot/snapshot-prompt.ts";
export {
  getKeepMessagesWithToolBlocks,
  type KeptMessages,
  N_MESSAGES_TO_KEEP,
} from "./condense/summary/keep-messages.ts";
export { getMessagesSinceLastSummary } from "./condense/summary/since-last-summary.ts";
export { SUMMARY_PARTS, SUMMARY_PROMPT } from "./condense/summary/summary-prompt.ts";
export { PalimpsestError, type PalimpsestErrorCode } from "./errors.ts";
export { cleanupAfterTruncation } from "./history/clean-up.ts";
export { type Fold, listFolds } from "./history/list-folds.ts";
export { restoreAllMessages, restoreMessages } from "./history/restore.ts";
export { type MessageSpan, restoreSpan } from "./history/restore-span.ts";
export { trackView, type ViewTracker } from "./history/track-view.ts";
export { checkMessages } from "./message/check-messages.ts";
export { getEffectiveApiHistory } from "./message/effective-view.ts";
export type { FoldKind } from "./message/fold-id.ts";
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
} from "./message/message.ts";
export { repairView } from "./message/repair-view.ts";
export { detectPairs, getPairPartner, hasOpenToolUse, type PairHalf, type ToolPair } from "./message/tool-pairs.ts";
export {
  type ValidateViewOptions,
  type ViewProblem,
  type ViewProblemCode,
  validateView,
} from "./message/validate-view.ts";
export type { ViewWire, WireProblemCode } from "./message/wire-rules.ts";
export { CONDENSE_DEFAULTS, type CondenseDefaults, type CondenseWith } from "./models/condense-defaults.ts";
export type { LongPromptPrices, MeteredPrices, ModelEntry, ModelPrices, TokenPrices } from "./models/model-entry.ts";
export { priceOf, type TokenUsage } from "./models/price.ts";
export { condenseDefaults, createModelRegistry, findModel, type ModelRegistry, tokenLimit } from "./models/registry.ts";
export {
  type CondenseThreshold,
  effectiveThreshold,
  MAX_CONDENSE_THRESHOLD,
  MIN_CONDENSE_THRESHOLD,
  type ThresholdSettings,
} from "./policy/condense-threshold.ts";
export {
  decideManagement,
  type ManagementDecision,
  type ManagementNumbers,
  MIN_CONDENSE_WINDOW,
  willManageContext,
} from "./policy/will-manage-context.ts";
export type { CondensationValidator, ValidationResult } from "./ports/condensation.ts";
export type { PassageKind } from "./recall/passages/block-texts.ts";
export type { Similarities } from "./recall/ranking/blend-similarities.ts";
export type { RecallHit } from "./recall/recall-hit.ts";
export {
  createRecallIndex,
  type RecallCandidate,
  type RecallIndex,
  type RecallIndexOptions,
  type RecallOptions,
} from "./recall/recall-index.ts";
export type { RecallScope } from "./recall/recall-log.ts";
export { renderRecall } from "./recall/render-recall.ts";
export type { TextSpan } from "./standing/standing-part.ts";
export {
  billWithFolds,
  billWithoutFolds,
  billWithSummaryAt,
  type FoldSchedule,
  type SummaryPolicy,
} from "./statement/bill.ts";
export type {
  CacheDiagnosis,
  CacheMissTotals,
  PredictedCacheMiss,
  PromptPart,
  ReportedCacheMiss,
} from "./statement/cache-diagnosis.ts";
export type { FoldModel } from "./statement/call-cost.ts";
export type { Bill, CallPrices, CallSize } from "./statement/call-size.ts";
export { offlineOptimum } from "./statement/offline-optimum.ts";
export type {
  CriticalFactCount,
  DecisionReason,
  FoldCause,
  KeptBody,
  RequestDecision,
  RequestRecord,
  TokenCategory,
  TokensByCategory,
} from "./statement/request-record.ts";
export type {
  FoldCosts,
  FoldTotals,
  RequestCosts,
  Statement,
  StatementHistory,
  UsageTotals,
} from "./statement/statement.ts";
export {
  type SessionAccount,
  type StatementOptions,
  statementHistory,
  sumStatement,
} from "./statement/sum-statement.ts";
export {
  type AllowedTokensOptions,
  allowedTokens,
  DEFAULT_RESERVED_TOKENS,
  type Reserve,
  TOKEN_BUFFER_PERCENTAGE,
} from "./tokens/budget.ts";
export type { Calibration, MessagesSize, ModelCalibration, RawSize } from "./tokens/calibration.ts";
export { countContentTokens } from "./tokens/count-content.ts";
export { countMessagesTokens, countMessageTokens } from "./tokens/count-messages.ts";
export { estimateTokenCountSync } from "./tokens/estimate.ts";
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
} from "./tokens/forecast.ts";
export { countTextTokens } from "./tokens/o200k/count-text-tokens.ts";
export { type ClearOptions, type ClearRules, clearToolResults } from "./truncate/clear-tool-results.ts";
export { type ClipBlocksOptions, type ClipResult, clipBlocks } from "./truncate/clip/clip-blocks.ts";
export { type DedupeOptions, dedupeToolResults } from "./truncate/dedupe-tool-results.ts";
export type { FitOptions, FitResult, TruncationSelection } from "./truncate/fit-options.ts";
export { foldToFit } from "./truncate/fold-to-fit.ts";
export type { OffloadRule } from "./truncate/offload.ts";
export type { BlockFoldResult } from "./truncate/tool-results.ts";
export { type TruncationResult, truncateConversation } from "./truncate/truncate-conversation.ts";
export { truncateToFit } from "./truncate/truncate-to-fit.ts";
export { type BackTestValidatorOptions, backTestValidator } from "./validators/back-test-validator.ts";
export { type DefaultValidatorsOptions, defaultValidators } from "./validators/default-validators.ts";
export { type FactSurvivalOptions, factSurvivalValidator } from "./validators/fact-survival.ts";
export { type SummaryQualityOptions, summaryQualityValidator } from "./validators/summary-quality.ts";
export { type TokenValidatorOptions, tokenValidator } from "./validators/token-validator.ts";
