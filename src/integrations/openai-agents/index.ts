/** OpenAI Agents SDK: models that keep what an agent sends inside the window, and a session of the SDK over our log (`palimpsest/openai-agents`). */

export type { Engine, EngineCondenseRequest } from "../../engine/engine.ts";
export type * from "../../engine/engine-types.ts";
export type { PluginFault } from "../../engine/extensions/fault.ts";
export type { HistoryEntry } from "../../engine/monitoring/history.ts";
export type { Metrics } from "../../engine/monitoring/metrics.ts";
export type { EngineRecallOptions, SessionRecallHit } from "../../engine/session/recall-sessions.ts";
export type { SessionOptions } from "../../engine/session/session.ts";
export type { ImportSessionOptions, SessionInfo } from "../../engine/session/sessions.ts";
export type { AgentsConversation, PalimpsestModelOptions } from "./options.ts";
export { palimpsestModel, palimpsestProvider } from "./palimpsest-model.ts";
export { type PalimpsestSession, palimpsestSession } from "./palimpsest-session.ts";
export type { AgentsModel, AgentsModelProvider, AgentsModelRequest, AgentsModelResponse } from "./types.ts";
