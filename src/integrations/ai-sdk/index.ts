/** The AI SDK (`palimpsest/ai-sdk`): a middleware that keeps the prompts of a model inside its window. */

export type { RecallInputSchema, RecallToolInput } from "../../core/recall/tool-definition.ts";
export type * from "../../engine/engine-types.ts";
export type { RecallableSession } from "../../engine/recall/answer-recall.ts";
export type { RecallToolOptions } from "../../engine/recall/recall-tool.ts";
export type { AiSdkMessageLike } from "../../messages/ai-sdk/ai-sdk-prompt.ts";
export type { PalimpsestCallbacks } from "../shared/callbacks.ts";
export type { AiSdkCallParams } from "./open-calls.ts";
export type { PalimpsestMiddlewareOptions } from "./options.ts";
export { type PalimpsestMiddleware, palimpsestMiddleware } from "./palimpsest-middleware.ts";
export {
  type AiSdkStep,
  type PalimpsestPrepareStep,
  type PalimpsestPrepareStepOptions,
  palimpsestPrepareStep,
} from "./palimpsest-prepare-step.ts";
export {
  type PalimpsestRecallTool,
  type PalimpsestRecallToolOptions,
  palimpsestRecallTool,
} from "./palimpsest-recall-tool.ts";
export type { AiSdkStreamPart } from "./stream-head.ts";
