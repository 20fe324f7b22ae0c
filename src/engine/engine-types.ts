/** Every type that the signatures of an engine and of its sessions name, for the doors of the package that have engines. */

export type { Engine, EngineCondenseRequest } from "./engine.ts";
export type { PluginFault } from "./extensions/fault.ts";
export type { HistoryEntry } from "./monitoring/history.ts";
export type { Metrics } from "./monitoring/metrics.ts";
export type { SessionInfo } from "./session/opened-sessions.ts";
export type { EngineRecallOptions, SessionRecallHit } from "./session/recall-sessions.ts";
export type { SessionOptions } from "./session/session.ts";
export type { ImportSessionOptions } from "./session/sessions.ts";
export type * from "./session-types.ts";
