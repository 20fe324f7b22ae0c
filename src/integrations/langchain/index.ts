/** LangChain: a middleware that keeps what an agent sends inside the window, and a checkpointer over our stores (`palimpsest/langchain`). */

export type { Engine, EngineCondenseRequest } from "../../engine/engine.ts";
export type * from "../../engine/engine-types.ts";
export type { PluginFault } from "../../engine/extensions/fault.ts";
export type { HistoryEntry } from "../../engine/monitoring/history.ts";
export type { Metrics } from "../../engine/monitoring/metrics.ts";
export type { EngineRecallOptions, SessionRecallHit } from "../../engine/session/recall-sessions.ts";
export type { SessionOptions } from "../../engine/session/session.ts";
export type { ImportSessionOptions, SessionInfo } from "../../engine/session/sessions.ts";
export type { LangChainMessageLike } from "../../messages/langchain/langchain-prompt.ts";
export type * from "./checkpointer/checkpointer-types.ts";
export {
  type PalimpsestCheckpointerOptions,
  palimpsestCheckpointer,
} from "./checkpointer/palimpsest-checkpointer.ts";
export { type LangChainModelRequest, type PalimpsestMiddleware, palimpsestMiddleware } from "./middleware.ts";
export type { MiddlewareCallbacks, PalimpsestMiddlewareOptions } from "./options.ts";
