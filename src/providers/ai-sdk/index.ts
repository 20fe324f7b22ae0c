export { PalimpsestError, type PalimpsestErrorCode } from "../../core/errors.ts";
export type * from "../../core/message/message-types.ts";
export type { CondenseDefaults, CondenseWith } from "../../core/models/condense-defaults.ts";
export type {
  LongPromptPrices,
  MeteredPrices,
  ModelEntry,
  ModelPrices,
  TokenPrices,
} from "../../core/models/model-entry.ts";
export type { ModelRegistry } from "../../core/models/registry.ts";
export type { TooLong } from "../../core/policy/too-long.ts";
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
export { createCondensingHandler, createModelHandler } from "./create-model-handler.ts";
export type { ModelHandlerOptions } from "./model-handler-options.ts";
export { ModelError, type ModelErrorDetails } from "./retry-stream.ts";
