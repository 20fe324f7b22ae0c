/** The names of the systems that Palimpsest comes from, for programs that are moved over from them. */

export {
  findCompressSplitPoint,
  type GeminiContent,
  type GeminiPart,
  type GeminiPartFields,
} from "../adapters/gemini/find-compress-split-point.ts";
export { COMPRESSION_PRESERVE_THRESHOLD } from "../core/condense/snapshot/plan-snapshot.ts";
export { SNAPSHOT_PROMPT } from "../core/condense/snapshot/snapshot-prompt.ts";
export {
  getKeepMessagesWithToolBlocks,
  type KeptMessages,
  N_MESSAGES_TO_KEEP,
} from "../core/condense/summary/keep-messages.ts";
export { getMessagesSinceLastSummary } from "../core/condense/summary/since-last-summary.ts";
export { SUMMARY_PROMPT } from "../core/condense/summary/summary-prompt.ts";
export { cleanupAfterTruncation } from "../core/history/clean-up.ts";
export { restoreMessages } from "../core/history/restore.ts";
export type { RewindOptions, TaskHistories } from "../core/history/rewind-histories.ts";
export type { ContextCondense, ContextTruncation, UiMessage } from "../core/history/ui-messages.ts";
export {
  type AllocateOptions,
  type BudgetAllocation,
  BudgetAllocator,
  type BudgetAllocatorOptions,
  type BudgetNeeds,
  type BudgetOptions,
} from "../core/layers/budget/allocate-budget.ts";
export type { ModelClass } from "../core/layers/budget/layer-percents.ts";
export type { LayerReport } from "../core/layers/context/compose-context.ts";
export type { Shorten } from "../core/layers/context/condense-item.ts";
export {
  type BuiltContext,
  ContextBuilder,
  type ContextBuilderOptions,
  type ContextFormat,
  type ContextMetadata,
} from "../core/layers/context/context-builder.ts";
export type { LayerName, MemoryKind } from "../core/layers/layer-names.ts";
export type {
  AgentRole,
  AuditRequirements,
  Checklist,
  ChecklistItem,
  Citation,
  Definition,
  Draft,
  DraftVersion,
  Environment,
  Episode,
  EvidenceLayer,
  ExecutionStep,
  Fact,
  Failure,
  Hypothesis,
  KnowledgeEntry,
  LayeredState,
  Measurement,
  MemoryLayer,
  Observation,
  Permission,
  Phase,
  PhasedProcedure,
  PlannedChange,
  PlanStep,
  Policy,
  Preference,
  PriorityName,
  ProceduralMemory,
  Procedure,
  ProcedureKinds,
  ResourceUse,
  Retrieval,
  RuntimeLayer,
  SemanticMemory,
  ShortTermEntry,
  Skill,
  SystemConstraints,
  SystemLayer,
  Template,
  TemplateVariable,
  VariableValue,
  WorkBufferLayer,
} from "../core/layers/layered-state.ts";
export type { LoadedMemory } from "../core/layers/load/loaded-memory.ts";
export type { Similarity } from "../core/layers/select/relevance.ts";
export {
  createInitialState,
  type InitialStateOptions,
} from "../core/layers/state/initial-state.ts";
export type {
  CriterionDescription,
  CriterionValidator,
  CriterionVerdict,
  TaskDescription,
  TaskLimit,
  TaskOutcome,
} from "../core/layers/task-description.ts";
export type {
  CriterionResult,
  OutputFormat,
  SuccessCriterion,
  TaskConstraints,
  TaskLayer,
  TaskMetadata,
  ToolValidator,
} from "../core/layers/task-layer.ts";
export { getEffectiveApiHistory } from "../core/message/effective-view.ts";
export {
  detectPairs,
  getPairPartner,
  hasOpenToolUse,
  type PairHalf,
  type ToolPair,
} from "../core/message/tool-pairs.ts";
export { condenseDefaults, tokenLimit } from "../core/models/registry.ts";
export {
  type CondenseThreshold,
  effectiveThreshold,
  MAX_CONDENSE_THRESHOLD,
  MIN_CONDENSE_THRESHOLD,
  type ThresholdSettings,
} from "../core/policy/condense-threshold.ts";
export { type ManagementNumbers, MIN_CONDENSE_WINDOW, willManageContext } from "../core/policy/will-manage-context.ts";
export type { Resolvers } from "../core/ports/hooks.ts";
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
} from "../core/ports/model-handler.ts";
export type { ToolCall, ToolExecutor, ToolOutput } from "../core/ports/tool-executor.ts";
export type { MessagePriority, PriorityLevel, PriorityReason, PriorityRule } from "../core/priority/priority.ts";
export { type ScoreContext, scoreMessage } from "../core/priority/score-message.ts";
export {
  type MessageSelection,
  type SelectionChoice,
  type SelectionOptions,
  type SelectionOutcome,
  selectMessages,
} from "../core/priority/select-messages.ts";
export {
  type AllowedTokensOptions,
  allowedTokens,
  DEFAULT_RESERVED_TOKENS,
  type Reserve,
  TOKEN_BUFFER_PERCENTAGE,
} from "../core/tokens/budget.ts";
export {
  estimateTokenCount,
  estimateTokenCountSync,
  TOKEN_FUDGE_FACTOR,
  type TokenCountingHandler,
  tiktoken,
} from "../core/tokens/estimate.ts";
export type { ToolChange } from "../core/tools/compare-tools.ts";
export type { HidingCause, ToolDecision } from "../core/tools/judge-tool.ts";
export type { AllowLists } from "../core/tools/narrowing/allow-lists.ts";
export type { NarrowedParameter } from "../core/tools/narrowing/narrow-tool.ts";
export type { PhaseMap } from "../core/tools/phase-map.ts";
export {
  type ProjectToolsOptions,
  projectTools,
  type ToolProjection,
  type ToolSituation,
} from "../core/tools/project-tools.ts";
export type {
  GuardedKind,
  JsonSchema,
  ParameterGuard,
  SentTool,
  ToolDefinition,
} from "../core/tools/tool-definition.ts";
export type { TruncationSelection } from "../core/truncate/fit-options.ts";
export { type TruncationResult, truncateConversation } from "../core/truncate/truncate-conversation.ts";
export type { AuditRecord } from "../engine/agent/audit-log.ts";
export { ModernContextEngine } from "../engine/agent/modern-context-engine.ts";
export type {
  ApprovalRequest,
  LoopLimits,
  ModernContextEngineOptions,
  PolicyCheck,
  Sleep,
} from "../engine/agent/modern-options.ts";
export type { CallOutcome } from "../engine/agent/run-calls.ts";
export type {
  ExecuteOptions,
  FailureCause,
  OutputReport,
  Recovery,
  SafeTaskResult,
  TaskResult,
} from "../engine/agent/task-result.ts";
export {
  type ChatCompressionInfo,
  type ChatCompressionOptions,
  type ChatCompressionResult,
  ChatCompressionService,
  CompressionStatus,
  type CompressRequest,
  DEFAULT_COMPRESSION_TOKEN_THRESHOLD,
} from "../engine/chat-compression-service.ts";
export type { CompressionModels } from "../engine/condense/compression-models.ts";
export { type SummarizeResult, summarizeConversation } from "../engine/condense/summarize-conversation.ts";
export type { EngineOptions } from "../engine/engine.ts";
export type { OnFault, PluginFault } from "../engine/extensions/fault.ts";
export {
  createPluginRegistry,
  type PluginRegistry,
  type PluginRegistryOptions,
} from "../engine/extensions/plugin-registry.ts";
export {
  type ContextManagementResult,
  type ManageContextOptions,
  manageContext,
  truncateConversationIfNeeded,
} from "../engine/manage-context.ts";
export { MessageManager, type RewindableTask, type RewindMoment } from "../engine/message-manager.ts";
export type * from "../engine/session-types.ts";
