/** A server that any agent can use by changing a base URL: it keeps conversations inside the window and never loses a byte. */

export { WIRE_ADAPTERS } from "../adapters/index.ts";
export type { BodySlices, Edit } from "../adapters/splice/body-slices.ts";
export type {
  Grouping,
  GroupOf,
  ItemGroup,
  ItemList,
  MarkedPieces,
  Piece,
  PlacedBlock,
  SentMessage,
  UnmarkedPieces,
  WireConversation,
  Writing,
} from "../adapters/splice/conversation.ts";
export { createAdapter, type WireDescription } from "../adapters/splice/index.ts";
export type {
  DescribedRequest,
  EditContext,
  RecallDescription,
  StandInContext,
} from "../adapters/splice/wire-description.ts";
export type { ClearingKind } from "../core/history/provider-clearing.ts";
export type { JsonSlice } from "../core/json/json-slices.ts";
export type { JsonRecord } from "../core/json/read-json.ts";
export type { ViewProblemCode } from "../core/message/validate-view.ts";
export type { WireProblemCode } from "../core/message/wire-rules.ts";
export type { ModelFailure } from "../core/policy/failure-texts.ts";
export type {
  CacheBreakpoints,
  OnlyTool,
  RawRequest,
  ReplyFollower,
  ReplyNotes,
  ReportedClearing,
  SessionHeader,
  WireAdapter,
  WireClearing,
  WireLimits,
  WireName,
  WireOperation,
  WirePart,
  WireRequest,
  WireService,
  WireSessions,
  WireTelemetry,
  WireUpstream,
} from "../core/ports/wire-adapter.ts";
export type {
  RecallCall,
  RecalledReply,
  RecallResult,
  RelayedReply,
  ReplyRelay,
  WireRecall,
} from "../core/ports/wire-recall.ts";
export type { Retention } from "../core/store/plan-retention.ts";
export type * from "../engine/engine-types.ts";
export type { Activity, ActivityFeed, RequestActivity, SessionChange } from "./activity.ts";
export type {
  CacheMarking,
  CacheOptions,
  CacheTtl,
  CloseOptions,
  Gateway,
  GatewayLimits,
  GatewayOptions,
  KeptRequests,
  RequestBudgets,
  Upstreams,
  Windows,
} from "./gateway.ts";
export { startGateway } from "./start-gateway.ts";
export type { StatementKeeper, StatementTotals } from "./statements.ts";
export type { GatewayStats, RequestTotals, StatsKeeper } from "./stats.ts";
export type { Environment } from "./telemetry/read-settings.ts";
export { type RunningTelemetry, startTelemetry, type TelemetryOptions } from "./telemetry/start-telemetry.ts";
