/** LangChain: a middleware that keeps what an agent sends inside the window, and a checkpointer over our stores (`palimpsest/langchain`). */

export type { RecallInputSchema, RecallToolInput } from "../../core/recall/tool-definition.ts";
export type * from "../../engine/engine-types.ts";
export type { RecallableSession } from "../../engine/recall/answer-recall.ts";
export type { RecallToolOptions } from "../../engine/recall/recall-tool.ts";
export type { LangChainMessageLike } from "../../messages/langchain/langchain-prompt.ts";
export type * from "./checkpointer/checkpointer-types.ts";
export {
  type PalimpsestCheckpointerOptions,
  palimpsestCheckpointer,
} from "./checkpointer/palimpsest-checkpointer.ts";
export { type LangChainModelRequest, type PalimpsestMiddleware, palimpsestMiddleware } from "./middleware.ts";
export type { MiddlewareCallbacks, PalimpsestMiddlewareOptions } from "./options.ts";
export {
  type MakeLangChainTool,
  type PalimpsestRecallToolOptions,
  palimpsestRecallTool,
} from "./palimpsest-recall-tool.ts";
