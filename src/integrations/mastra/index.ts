/** Mastra (`palimpsest/mastra`): a processor that keeps what an agent sends inside the window. */

export type { Engine, EngineCondenseRequest } from "../../engine/engine.ts";
export type * from "../../engine/engine-types.ts";
export type { PluginFault } from "../../engine/extensions/fault.ts";
export type { HistoryEntry } from "../../engine/monitoring/history.ts";
export type { Metrics } from "../../engine/monitoring/metrics.ts";
export type { EngineRecallOptions, SessionRecallHit } from "../../engine/session/recall-sessions.ts";
export type { SessionOptions } from "../../engine/session/session.ts";
export type { ImportSessionOptions, SessionInfo } from "../../engine/session/sessions.ts";
export type { AiSdkMessageLike } from "../../messages/ai-sdk/ai-sdk-prompt.ts";
export type { PalimpsestCallbacks } from "../shared/callbacks.ts";
export type { PalimpsestProcessorOptions } from "./options.ts";
export { palimpsestProcessor } from "./palimpsest-processor.ts";
export type {
  MastraContext,
  MastraRefusal,
  MastraRequest,
  MastraResponse,
  MastraStep,
  PalimpsestProcessor,
} from "./types.ts";
