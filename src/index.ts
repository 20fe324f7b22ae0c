/** The public API of Palimpsest. */

export { type BackTestValidatorOptions, backTestValidator } from "./core/condense/gates/back-test-validator.ts";
export { type DefaultValidatorsOptions, defaultValidators } from "./core/condense/gates/default-validators.ts";
export { type FactSurvivalOptions, factSurvivalValidator } from "./core/condense/gates/fact-survival.ts";
export { type SummaryQualityOptions, summaryQualityValidator } from "./core/condense/gates/summary-quality.ts";
export { type TokenValidatorOptions, tokenValidator } from "./core/condense/gates/token-validator.ts";
export { type CompactOptions, compact } from "./core/condense/ledger/compact.ts";
export { type ParsedSnapshot, parseSnapshot, type SnapshotParts } from "./core/condense/snapshot/parse-snapshot.ts";
export { COMPRESSION_PRESERVE_THRESHOLD } from "./core/condense/snapshot/plan-snapshot.ts";
export { SNAPSHOT_PROMPT } from "./core/condense/snapshot/snapshot-prompt.ts";
export {
  getKeepMessagesWithToolBlocks,
  type KeptMessages,
  N_MESSAGES_TO_KEEP,
} from "./core/condense/summary/keep-messages.ts";
export { getMessagesSinceLastSummary } from "./core/condense/summary/since-last-summary.ts";
export { SUMMARY_PARTS, SUMMARY_PROMPT } from "./core/condense/summary/summary-prompt.ts";
export { PalimpsestError, type PalimpsestErrorCode } from "./core/errors.ts";
export { cleanupAfterTruncation } from "./core/history/clean-up.ts";
export { type Fold, listFolds } from "./core/history/list-folds.ts";
export { restoreAllMessages, restoreMessages } from "./core/history/restore.ts";
export type { RewindOptions } from "./core/history/rewind-histories.ts";
export { trackView, type ViewTracker } from "./core/history/track-view.ts";
export type { ContextCondense, ContextTruncation, UiMessage } from "./core/history/ui-messages.ts";
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
export type { CheckpointReason, CheckpointRules } from "./core/policy/checkpoint-rules.ts";
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
  MIN_CONDENSE_WINDOW,
  willManageContext,
} from "./core/policy/will-manage-context.ts";
export type {
  CondensationContext,
  CondensationOptions,
  CondensationPlugin,
  CondensationResult,
  CondensationTrigger,
  CondensationValidator,
  ValidationResult,
} from "./core/ports/condensation.ts";
export type { AfterVerdict, BeforeVerdict, Hooks, PreCompressEvent, Resolvers } from "./core/ports/hooks.ts";
export type {
  HandlerModel,
  ModelCall,
  ModelChunk,
  ModelHandler,
  ReasoningBlockChunk,
  ReasoningChunk,
  TextChunk,
  ToolSpecification,
  ToolUseChunk,
  UsageChunk,
} from "./core/ports/model-handler.ts";
export type {
  AppendOptions,
  AppendOutcome,
  FoundRecord,
  ListCheckpointsOptions,
  ListSessionsOptions,
  LockOutcome,
  LockRelease,
  LockRequest,
  NewRecord,
  ReadOptions,
  SearchOptions,
  Store,
  StoredCheckpoint,
  StoredRecord,
  StoredSession,
} from "./core/ports/store.ts";
export type {
  CondensationFailure,
  CondensationStart,
  CondensationSuccess,
  FallbackToTruncation,
  Telemetry,
} from "./core/ports/telemetry.ts";
export type { WorkspaceFiles } from "./core/ports/workspace.ts";
export type { RecallHit } from "./core/recall/recall-hit.ts";
export {
  createRecallIndex,
  type RecallIndex,
  type RecallIndexOptions,
  type RecallOptions,
} from "./core/recall/recall-index.ts";
export { renderRecall } from "./core/recall/render-recall.ts";
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
export {
  type ChatCompressionInfo,
  type ChatCompressionOptions,
  type ChatCompressionResult,
  ChatCompressionService,
  CompressionStatus,
  type CompressRequest,
  DEFAULT_COMPRESSION_TOKEN_THRESHOLD,
} from "./engine/chat-compression-service.ts";
export type { CompressionModels } from "./engine/condense/compression-models.ts";
export { type LedgerCondenserOptions, ledgerCondenser } from "./engine/condense/ledger-condenser.ts";
export { type ModelCondenserOptions, modelCondenser } from "./engine/condense/model-condenser.ts";
export { summarizeConversation } from "./engine/condense/summarize-conversation.ts";
export {
  type Configuration,
  DEFAULT_CONFIGURATION,
  type ResolvedConfiguration,
} from "./engine/configuration/configuration.ts";
export { createBareEngine, createEngine } from "./engine/create-engine.ts";
export type { Engine, EngineCondenseRequest, EngineOptions } from "./engine/engine.ts";
export { type ContextManagementResult, type ManageContextOptions, manageContext } from "./engine/manage-context.ts";
export { MessageManager, type RewindableTask, type RewindMoment } from "./engine/message-manager.ts";
export type { HistoryEntry } from "./engine/monitoring/history.ts";
export type { Metrics } from "./engine/monitoring/metrics.ts";
export { createPluginRegistry, type PluginRegistry } from "./engine/plugins/plugin-registry.ts";
export type { CheckpointIfDueOptions, CheckpointOptions, SessionCheckpoint } from "./engine/session/checkpoints.ts";
export type { CondenseByHand } from "./engine/session/condense-by-hand.ts";
export type { Moment } from "./engine/session/find-version.ts";
export type { LockOptions, MessageLock } from "./engine/session/message-locks.ts";
export type { PrepareOptions } from "./engine/session/prepare.ts";
export type { EngineRecallOptions, SessionRecallHit } from "./engine/session/recall-sessions.ts";
export type { Prepared, PrepareReport, SessionEvent } from "./engine/session/report.ts";
export type { RewindTarget, Rewound, SessionRewindOptions } from "./engine/session/rewind.ts";
export type {
  Session,
  SessionOptions,
  SessionRecallOptions,
  SessionSnapshot,
  UpdateOptions,
} from "./engine/session/session.ts";
export type { SessionExport } from "./engine/session/session-export.ts";
export type { ModelChoice } from "./engine/session/session-model.ts";
export type { ImportSessionOptions, SessionInfo } from "./engine/session/sessions.ts";
export type { MessageChange } from "./engine/session/update-messages.ts";
