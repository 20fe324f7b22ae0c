/** Every type that the options of an engine and the signatures of its sessions name, for the doors of the package that have sessions. */

export type { Fold } from "../core/history/list-folds.ts";
export type { ChangedMessage, LogDifference, LogPatch } from "../core/history/log-patch.ts";
export type { ProviderClearing, RecordedClearing } from "../core/history/provider-clearing.ts";
export type { MessageSpan } from "../core/history/restore-span.ts";
export type { CompactionReader } from "../core/message/compaction-reader.ts";
export type { FoldKind } from "../core/message/fold-id.ts";
export type { CountTokens } from "../core/message/message.ts";
export type * from "../core/message/message-types.ts";
export type { CondenseDefaults, CondenseWith } from "../core/models/condense-defaults.ts";
export type {
  LongPromptPrices,
  MeteredPrices,
  ModelEntry,
  ModelPrices,
  TokenPrices,
} from "../core/models/model-entry.ts";
export type { ModelRegistry } from "../core/models/registry.ts";
export type { CheckpointReason, CheckpointRules } from "../core/policy/checkpoint-rules.ts";
export type { Economy } from "../core/policy/economy.ts";
export type { TooLong } from "../core/policy/too-long.ts";
export type {
  CondensationContext,
  CondensationOptions,
  CondensationPlugin,
  CondensationResult,
  CondensationTrigger,
  CondensationValidator,
  ValidationResult,
} from "../core/ports/condensation.ts";
export type { Embedder, EmbedOptions } from "../core/ports/embedder.ts";
export type { AfterVerdict, Answer, BeforeVerdict, Hooks, PreCompressEvent } from "../core/ports/hooks.ts";
export type { OffloadedFile, OffloadFiles } from "../core/ports/offload.ts";
export type {
  Acknowledge,
  AppendOptions,
  AppendOutcome,
  FoundRecord,
  ListCheckpointsOptions,
  ListSessionsOptions,
  LockName,
  LockOutcome,
  LockRelease,
  LockRequest,
  NewRecord,
  ReadOptions,
  SavedStates,
  SearchOptions,
  Store,
  StoredBlob,
  StoredCheckpoint,
  StoredLock,
  StoredRecord,
  StoredSession,
  StoredState,
} from "../core/ports/store.ts";
export type * from "../core/ports/store-maintenance.ts";
export type {
  CondensationFailure,
  CondensationStart,
  CondensationSuccess,
  FallbackToTruncation,
  Telemetry,
} from "../core/ports/telemetry.ts";
export type { RecalledReply, RecallResult } from "../core/ports/wire-recall.ts";
export type {
  KeptWorkspaceFile,
  MovedFile,
  RestoredWorkspace,
  WorkspaceFiles,
  WorkspaceOf,
} from "../core/ports/workspace.ts";
export type { ExpandedPage, ExpandOptions } from "../core/recall/expand-page.ts";
export type { PassageKind } from "../core/recall/passages/block-texts.ts";
export type { RecallHit } from "../core/recall/recall-hit.ts";
export type {
  CacheDiagnosis,
  CacheMissTotals,
  PredictedCacheMiss,
  PromptPart,
  ReportedCacheMiss,
} from "../core/statement/cache-diagnosis.ts";
export type {
  CriticalFactCount,
  DecisionReason,
  FoldCause,
  KeptBody,
  RequestDecision,
  RequestRecord,
  TokenCategory,
  TokensByCategory,
} from "../core/statement/request-record.ts";
export type {
  FoldCosts,
  FoldTotals,
  RequestCosts,
  Statement,
  StatementHistory,
  UsageTotals,
} from "../core/statement/statement.ts";
export type { Calibration, MessagesSize, ModelCalibration, RawSize } from "../core/tokens/calibration.ts";
export type { Anchor, ForecastState, Overhead, ReportedUsage } from "../core/tokens/forecast.ts";
export type {
  AnthropicUsage,
  GeminiUsage,
  OpenAiChatUsage,
  OpenAiResponsesUsage,
  ProviderUsage,
} from "../core/tokens/provider-usage.ts";
export type { BlockFoldResult } from "../core/truncate/tool-results.ts";
export type { MessageWire, WirePrompt } from "../messages/wires.ts";
export type {
  ClearConfiguration,
  Configuration,
  DeepPartial,
  LineLevel,
  LogLevel,
  MonitoringConfiguration,
  ResolvedConfiguration,
  StrategiesConfiguration,
  ThresholdsConfiguration,
  ValidationConfiguration,
  ValidationRules,
} from "./configuration/configuration.ts";
export type { CalibrateOptions, CalibrationOutcome } from "./session/calibrate.ts";
export type {
  CheckpointedTurn,
  CheckpointIfDueOptions,
  CheckpointOptions,
  SessionCheckpoint,
} from "./session/checkpoints.ts";
export type { CondenseByHand } from "./session/condense-by-hand.ts";
export type { Moment } from "./session/find-version.ts";
export type { ForeseenFold, LogHistory, PlacedRecord } from "./session/journal/log-history.ts";
export type { LogRecord } from "./session/journal/log-record.ts";
export type { LogOutline, OutlineFacts, PlacedMessage, SaidStretch } from "./session/log-outline.ts";
export type { LockOptions, MessageLock } from "./session/message-locks.ts";
export type { PrepareOptions } from "./session/prepare.ts";
export type { PrepareAsOptions, PreparedPrompt } from "./session/prepare-prompt.ts";
export type { KnownForecast } from "./session/prompt-meter.ts";
export type { PromptOverhead } from "./session/prompt-state.ts";
export type { ReportedProviderClearing } from "./session/provider-clearing.ts";
export type {
  EventTypes,
  Prepared,
  PrepareReport,
  RecalledExchange,
  SessionEvent,
  SessionLineage,
} from "./session/report.ts";
export type { StatementPeriod } from "./session/requests/read-account.ts";
export type { SentBody, SentRequest } from "./session/requests/sent-request.ts";
export type { RewindTarget, Rewound, RewoundFiles, SessionRewindOptions } from "./session/rewind.ts";
export type { Session, SessionHistory, SessionPrompt, SessionRecallOptions } from "./session/session.ts";
export type { SessionExport } from "./session/session-export.ts";
export type { ModelChoice } from "./session/session-model.ts";
export type { OutlinedSession, SessionSnapshot } from "./session/session-snapshot.ts";
export type { MessageChange, UpdateOptions } from "./session/update-messages.ts";
export type { DamagedSession, IntactSession, SessionVerification, VerifyOptions } from "./session/verify-session.ts";
