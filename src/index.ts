/** The public API of Palimpsest: what most programs need. Everything else has a subpath of its own. */

export { type CompactOptions, compact } from "./core/condense/ledger/compact.ts";
export type {
  BlockTerm,
  IdentifierTerm,
  LedgerWeights,
  LineTerm,
  TermWeights,
} from "./core/condense/ledger/ledger-weights.ts";
export { PalimpsestError, type PalimpsestErrorCode } from "./core/errors.ts";
export { listFolds } from "./core/history/list-folds.ts";
export { restoreAllMessages, restoreMessages } from "./core/history/restore.ts";
export { checkMessages } from "./core/message/check-messages.ts";
export { getEffectiveApiHistory } from "./core/message/effective-view.ts";
export { isKnownBlock } from "./core/message/message.ts";
export { priceOf, type TokenUsage } from "./core/models/price.ts";
export { createModelRegistry, findModel } from "./core/models/registry.ts";
export type { Resolvers } from "./core/ports/hooks.ts";
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
export type { ToolArgument } from "./core/recall/context-tool-definitions.ts";
export { renderRecall } from "./core/recall/render-recall.ts";
export type {
  RecallInputSchema,
  RecallToolInput,
  RecallToolShapes,
  ToolShapes,
} from "./core/recall/tool-definition.ts";
export { countMessagesTokens } from "./core/tokens/count-messages.ts";
export { countTextTokens } from "./core/tokens/o200k/count-text-tokens.ts";
export type { FitResult, TruncationSelection } from "./core/truncate/fit-options.ts";
export { type BackTestValidatorOptions, backTestValidator } from "./core/validators/back-test-validator.ts";
export { type DefaultValidatorsOptions, defaultValidators } from "./core/validators/default-validators.ts";
export { type FactSurvivalOptions, factSurvivalValidator } from "./core/validators/fact-survival.ts";
export { type SummaryQualityOptions, summaryQualityValidator } from "./core/validators/summary-quality.ts";
export { type TokenValidatorOptions, tokenValidator } from "./core/validators/token-validator.ts";
export { type LedgerCondenserOptions, ledgerCondenser } from "./engine/condense/ledger-condenser.ts";
export { type ModelCondenserOptions, modelCondenser } from "./engine/condense/model-condenser.ts";
export type {
  AnthropicCompactionClient,
  CompactionBody,
  CompactionCallOptions,
  CompactionClient,
  OpenAiCompactionClient,
} from "./engine/condense/provider-clients.ts";
export { type ProviderCondenserOptions, providerCondenser } from "./engine/condense/provider-condenser.ts";
export { DEFAULT_CONFIGURATION } from "./engine/configuration/configuration.ts";
export { createBareEngine, createEngine } from "./engine/create-engine.ts";
export type { EngineOptions } from "./engine/engine.ts";
export type * from "./engine/engine-types.ts";
export type { ActedOnSession } from "./engine/recall/answer-actions.ts";
export type { RecallableSession } from "./engine/recall/answer-recall.ts";
export {
  type ContextTool,
  type ContextToolSchema,
  contextTools,
  type ToolSession,
} from "./engine/recall/context-tools.ts";
export { type RecallTool, type RecallToolOptions, recallTool } from "./engine/recall/recall-tool.ts";
export type { MeasuredSession } from "./engine/recall/usage-text.ts";
