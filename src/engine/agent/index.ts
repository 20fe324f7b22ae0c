/** An agent over a session: its loop, what it knows in layers, which tools it is shown, and what matters most to it. */

export {
  type AllocateOptions,
  type BudgetAllocation,
  BudgetAllocator,
  type BudgetAllocatorOptions,
  type BudgetNeeds,
  type BudgetOptions,
} from "../../core/layers/budget/allocate-budget.ts";
export type { ModelClass } from "../../core/layers/budget/layer-percents.ts";
export type { LayerReport } from "../../core/layers/context/compose-context.ts";
export type { Shorten } from "../../core/layers/context/condense-item.ts";
export {
  type BuiltContext,
  ContextBuilder,
  type ContextBuilderOptions,
  type ContextFormat,
  type ContextMetadata,
} from "../../core/layers/context/context-builder.ts";
export { extractCriteria } from "../../core/layers/extract-criteria.ts";
export type { LayerName, MemoryKind } from "../../core/layers/layer-names.ts";
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
} from "../../core/layers/layered-state.ts";
export { addLoadedMemory, type LoadedMemory } from "../../core/layers/load/loaded-memory.ts";
export { comparedTexts, type Similarity } from "../../core/layers/select/relevance.ts";
export { checkState } from "../../core/layers/state/check-state.ts";
export {
  createInitialState,
  DEFAULT_CONSTRAINTS,
  DEFAULT_POLICIES,
  type InitialStateOptions,
} from "../../core/layers/state/initial-state.ts";
export { readState, serializeState } from "../../core/layers/state/serialize-state.ts";
export type {
  CriterionDescription,
  CriterionValidator,
  CriterionVerdict,
  TaskDescription,
  TaskLimit,
  TaskOutcome,
} from "../../core/layers/task-description.ts";
export type {
  CriterionResult,
  OutputFormat,
  SuccessCriterion,
  TaskConstraints,
  TaskLayer,
  TaskMetadata,
  ToolValidator,
} from "../../core/layers/task-layer.ts";
export {
  addCitation,
  addMeasurement,
  addObservation,
  addRetrieval,
  type NewObservation,
} from "../../core/layers/updates/evidence.ts";
export {
  addKnowledge,
  define,
  learnFact,
  type NewShortTermEntry,
  recordEpisode,
  remember,
  setPreference,
  setWorkingVariable,
} from "../../core/layers/updates/memory.ts";
export { PHASE_TRANSITIONS, setPhase } from "../../core/layers/updates/phases.ts";
export { addProcedure, type ChecklistTick, tickItem } from "../../core/layers/updates/procedures.ts";
export { renderTemplate } from "../../core/layers/updates/render-template.ts";
export { addUse, recordFailure, recordStep, resolveFailure } from "../../core/layers/updates/runtime.ts";
export { expire } from "../../core/layers/updates/time-to-live.ts";
export {
  putChange,
  putDraft,
  putHypothesis,
  type StepProgress,
  setPlan,
  setStepStatus,
  writeScratchpad,
} from "../../core/layers/updates/work-buffer.ts";
export type { ModelFailure } from "../../core/policy/failure-texts.ts";
export { readTooLong, type TooLong } from "../../core/policy/too-long.ts";
export type { Resolvers } from "../../core/ports/hooks.ts";
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
} from "../../core/ports/model-handler.ts";
export type { ToolCall, ToolExecutor, ToolOutput } from "../../core/ports/tool-executor.ts";
export {
  type MessagePriority,
  PRIORITY_POINTS,
  PRIORITY_THRESHOLDS,
  type PriorityLevel,
  type PriorityReason,
  type PriorityRule,
} from "../../core/priority/priority.ts";
export {
  type ScoreContext,
  type ScoreOptions,
  scoreMessage,
  scoreMessages,
} from "../../core/priority/score-message.ts";
export {
  type MessageSelection,
  type SelectionChoice,
  type SelectionOptions,
  type SelectionOutcome,
  selectMessages,
} from "../../core/priority/select-messages.ts";
export { taskKeywords } from "../../core/priority/task-keywords.ts";
export type { ToolChange } from "../../core/tools/compare-tools.ts";
export type { HidingCause, ToolDecision } from "../../core/tools/judge-tool.ts";
export type { AllowLists } from "../../core/tools/narrowing/allow-lists.ts";
export type { NarrowedParameter } from "../../core/tools/narrowing/narrow-tool.ts";
export { DEFAULT_PHASE_MAP, type PhaseMap } from "../../core/tools/phase-map.ts";
export {
  DEFAULT_TOOL_BUDGET_TOKENS,
  type ProjectToolsOptions,
  projectTools,
  type ToolProjection,
  type ToolSituation,
  URGENT_TOOL_COUNT,
} from "../../core/tools/project-tools.ts";
export type {
  GuardedKind,
  JsonSchema,
  ParameterGuard,
  SentTool,
  ToolDefinition,
} from "../../core/tools/tool-definition.ts";
export { type UsedToolsOptions, usedTools } from "../../core/tools/used-tools.ts";
export type { TruncationSelection } from "../../core/truncate/fit-options.ts";
export type { EngineOptions } from "../engine.ts";
export type * from "../session-types.ts";
export {
  type ArgumentCheck,
  type ArgumentCheckOptions,
  type ArgumentVerdict,
  createArgumentCheck,
} from "../tools/check-arguments.ts";
export type { AuditRecord } from "./audit-log.ts";
export { type LoadMemoryOptions, loadMemory } from "./load-memory.ts";
export { ModernContextEngine } from "./modern-context-engine.ts";
export type { ApprovalRequest, LoopLimits, ModernContextEngineOptions, PolicyCheck, Sleep } from "./modern-options.ts";
export type { CallOutcome } from "./run-calls.ts";
export type {
  ExecuteOptions,
  FailureCause,
  OutputReport,
  Recovery,
  SafeTaskResult,
  TaskResult,
} from "./task-result.ts";
